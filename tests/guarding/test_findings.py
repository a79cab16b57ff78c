"""Every kind of finding: what it is, which line, which block, and that the program goes on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import Compile, Heapstory
from tests.guarding.guarding import Guard, errors, line_of
from tests.support.programs import program
from tests.support.schemas import check

FLAGS = [("-O0",), ("-O2",), ("-O2", "-fomit-frame-pointer", "-static-libgcc")]
ENDED = 3  # the exit status of errors.c when it comes to its end


def line(text: str) -> int:
    """The line of errors.c with a remark."""
    return line_of(program("guarding/errors.c"), text)


@pytest.mark.parametrize("flags", FLAGS)
@pytest.mark.parametrize(
    ("what", "kind", "where"),
    [
        ("double-free", "double-free", "double-free"),
        ("inside", "bad-free", "inside"),
        ("stack", "bad-free", "stack"),
        ("global", "bad-free", "global"),
        ("bad-realloc", "bad-realloc", "bad-realloc"),
        ("overrun", "broken-fence", "overrun"),
        ("underrun", "broken-fence", "underrun"),
        ("grown", "broken-fence", "grown"),
        ("still-live", "broken-fence", "made here"),
        ("after-free", "written-after-free", "after-free"),
    ],
)
def test_errors_are_found_where_they_are(
    flags: tuple[str, ...],
    what: str,
    kind: str,
    where: str,
    compile_program: Compile,
    guard: Guard,
) -> None:
    answer = guard(compile_program("guarding/errors", *flags), what)
    assert (answer["returned"], answer["printed"]) == (ENDED, "the end\n")
    (found,) = errors(answer)
    assert (found["kind"], found["place"]["line"]) == (kind, line(where))
    by_access = kind in ("broken-fence", "written-after-free")  # a write that nobody saw
    told = "heapstory check --record" if by_access else f"errors.c:{line(where)}"
    assert told in found["explain"]


@pytest.mark.parametrize("flags", FLAGS)
@pytest.mark.parametrize(
    ("what", "kind"),
    [
        ("free-of-new", "mismatched-free"),
        ("delete-of-array", "mismatched-free"),
        ("delete-of-malloc", "mismatched-free"),
        ("double-delete", "double-free"),
    ],
)
def test_errors_of_new_and_delete(
    flags: tuple[str, ...], what: str, kind: str, compile_program: Compile, guard: Guard
) -> None:
    cxx = ("-x", "c++", "-fpermissive", "-w")
    built = compile_program("guarding/errors", *cxx, *flags, compiler="g++")
    answer = guard(built, what)
    (found,) = errors(answer)
    assert (answer["returned"], found["kind"]) == (ENDED, kind)
    assert found["place"]["line"] == line(what)


@pytest.mark.parametrize("mode", ["--light", "--thorough"])
@pytest.mark.parametrize("what", ["double-free", "global", "overrun", "underrun", "after-free"])
def test_every_mode_finds_them(
    mode: str, what: str, compile_program: Compile, guard: Guard
) -> None:
    answer = guard(compile_program("guarding/errors"), what, options=(mode,))
    assert [len(errors(answer)), answer["returned"]] == [1, ENDED]


def test_a_double_free_says_where_the_block_was_made_and_freed(
    compile_program: Compile, guard: Guard
) -> None:
    (found,) = errors(guard(compile_program("guarding/errors"), "double-free"))
    block = found["block"]
    assert block["size"] == 24
    assert block["allocated"][0]["line"] == line("made here")
    assert block["allocated"][1]["function"] == "frees"
    assert block["freed"][0]["line"] == line("first free")


@pytest.mark.parametrize(
    ("what", "text"),
    [
        ("overrun", "1 byte beyond its end: 78"),
        ("underrun", "2 bytes before its start: 78"),
    ],
)
def test_a_broken_fence_says_how_far_and_what(
    what: str, text: str, compile_program: Compile, guard: Guard
) -> None:
    (found,) = errors(guard(compile_program("guarding/errors"), what))
    assert text in found["text"]
    assert found["block"]["size"] == 10
    assert found["block"]["allocated"][0]["line"] == line("made here")


def test_repeated_findings_are_counted(compile_program: Compile, guard: Guard) -> None:
    (found,) = errors(guard(compile_program("guarding/errors"), "squashed"))
    assert (found["count"], found["place"]["line"]) == (1000, line("squashed"))


@pytest.mark.parametrize(
    ("what", "pattern", "where"),
    [
        ("uninitialised", "new", "uninitialised"),
        ("used-after-free", "freed", "used-after-free"),
    ],
)
def test_a_crash_is_explained_by_the_pattern(
    what: str, pattern: str, where: str, compile_program: Compile, guard: Guard
) -> None:
    answer = guard(compile_program("guarding/errors"), what)
    assert answer["returned"] == 139
    assert answer["crash"]["signal"] == 11
    assert pattern in {each["pattern"] for each in answer["crash"]["registers_with_pattern"]}
    (found,) = errors(answer)
    assert (found["kind"], found["place"]["line"]) == ("bad-pattern-at-crash", line(where))
    if pattern == "freed":
        assert found["block"]["freed"][0]["line"] == line("node freed")
    assert any(each["place"]["line"] == line("a node") for each in answer["live_blocks"])


def test_an_abort_stays_one_and_lists_live_blocks(compile_program: Compile, guard: Guard) -> None:
    answer = guard(compile_program("guarding/errors"), "abort")
    assert (answer["returned"], answer["crash"]["signal"]) == (134, 6)
    assert errors(answer) == []
    assert answer["live_blocks"]


def test_live_blocks_are_listed_however_the_program_ends(
    compile_program: Compile, guard: Guard
) -> None:
    for what, status in (("none", ENDED), ("_exit", 7), ("quick_exit", 8)):
        answer = guard(compile_program("guarding/errors"), what)
        assert answer["returned"] == status
        made = [each for each in answer["live_blocks"] if each["size"] in (10, 24)]
        assert {each["place"]["line"] for each in made} == {line("made here")}
        site = next(s for s in answer["sites"] if s["bytes"] == 24)
        assert (site["blocks"], site["stack"][1]["function"]) == (1, "frees")


def test_error_exitcode_sarif_and_baseline(
    compile_program: Compile, heapstory: Heapstory, tmp_path: Path
) -> None:
    program = compile_program("guarding/errors")
    log, base = tmp_path / "log.sarif", tmp_path / "base.json"
    words = ("guard", "--error-exitcode", "99", "--sarif", log)
    done = heapstory(*words, "--write-baseline", base, "--", program, "double-free")
    assert done.returncode == 99
    (result,) = check("sarif", log.read_text())["runs"][0]["results"]
    assert result["ruleId"] == "double-free"
    entry = json.loads(base.read_text())["findings"][0]
    assert entry["fingerprint"] == result["partialFingerprints"]["heapstory/v1"]
    again = heapstory(*words, "--baseline", base, "--", program, "double-free")
    assert again.returncode == ENDED
    assert "0 findings (1 accepted)" in again.stderr
    other = heapstory(*words, "--baseline", base, "--", program, "global")
    assert other.returncode == 99


def test_a_static_program_is_refused(compile_program: Compile, heapstory: Heapstory) -> None:
    done = heapstory("guard", "--", compile_program("guarding/errors", "-static"), "none")
    assert done.returncode == 126
    assert "statically linked" in done.stderr and "record --mode portable" in done.stderr
    assert done.stderr.count("\n") == 1


def test_usage(heapstory: Heapstory) -> None:
    assert heapstory("guard").returncode == 125
    assert heapstory("guard", "--", "/no/such/program").returncode == 127
    assert heapstory("guard", "--light", "--thorough", "--", "true").returncode == 125


@pytest.mark.parametrize("mode", [(), ("--light",), ("--thorough",)])
@pytest.mark.parametrize(
    ("what", "kind", "where"),
    [
        ("read", "unaddressable-read", "read when freed"),
        ("write", "unaddressable-write", "written when freed"),
    ],
)
def test_a_large_block_that_is_the_kernel_s_again(
    what: str, kind: str, where: str, mode: tuple[str, ...], compile_program: Compile, guard: Guard
) -> None:
    answer = guard(compile_program("guarding/large", "-O0"), what, options=mode)
    if mode == ("--thorough",):  # it is in quarantine, and may be read
        assert [found["kind"] for found in errors(answer)] == (
            ["written-after-free"] if what == "write" else []
        )
        return
    assert answer["returned"] == 139
    (found,) = errors(answer)
    source = program("guarding/large.c")
    assert (found["kind"], found["place"]["line"]) == (kind, line_of(source, where))
    block = found["block"]
    assert block["size"] == 1 << 20
    assert block["allocated"][0]["line"] == line_of(source, "a large block")
    assert block["freed"][0]["line"] == line_of(source, "large freed")


@pytest.mark.parametrize("what", ["elsewhere", "call", "protected"])
def test_a_crash_elsewhere_is_not_put_down_to_a_large_block(
    what: str, compile_program: Compile, guard: Guard
) -> None:
    answer = guard(compile_program("guarding/large", "-O0"), what)
    assert answer["returned"] == 139
    assert errors(answer) == []
