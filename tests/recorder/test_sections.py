# SPDX-License-Identifier: GPL-2.0-or-later
"""Sections of interest, C-points, roots, custom allocators and receivers."""

import itertools
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.recorder.recorder import Memory, Result, compile_program
from tests.recorder.wire import Record
from tests.support.programs import program as source

Run = Callable[..., Result]
FILE = "sections.c"
PROGRAM = f"recorder/{FILE}"


def line(comment: str) -> int:
    lines = source(PROGRAM).read_text().splitlines()
    return 1 + next(i for i, text in enumerate(lines) if comment in text)


def pushed(records: list[Record]) -> list[int]:
    """Values stored by push, in order: its stores of 8 bytes into fields at +8 of new nodes."""
    values = {r.address + 8 for r in records if r.tag == "ALLOC" and r.size == 16}
    return [r.value for r in records if r.tag == "STORE" and r.address in values]


def after_begin(result: Result) -> list[Record]:
    records = result.records
    return records[[r.tag for r in records].index("BEGIN") :]


ALL = [10, 11, 20, 21, 30, 31, 40, 41, 99]


def test_whole_run(run: Run) -> None:
    result = run(PROGRAM)
    assert pushed(result.records) == ALL and "recording 1" in result.output
    assert not result.trace.of("BEGIN", "FINISH")


@pytest.mark.parametrize(
    ("option", "expected"),
    [("work", ALL), ("work#3", ALL[4:]), ("finish", ALL[8:])],
)
def test_from(run: Run, option: str, expected: list[int]) -> None:
    result = run(PROGRAM, options=(f"--from={option}",))
    assert pushed(after_begin(result)) == expected
    memory = Memory(result.records)
    for address, data in result.truths("block") + result.truths("global"):
        assert memory.read(address, len(data)) == data


def test_from_a_line(run: Run) -> None:
    result = run(PROGRAM, options=(f"--from={FILE}:{line('LINE push')}#4",))
    records = after_begin(result)
    stores = [r.value for r in records if r.tag == "STORE" and r.site and r.site.own]
    assert stores[0] == 21  # the line's own store is the first
    memory = Memory(result.records)
    for address, data in result.truths("block"):
        assert memory.read(address, len(data)) == data


def test_snapshot_has_stack_blocks_and_modules_in_order(run: Run) -> None:
    result = run(PROGRAM, options=("--from=work#3",))
    tags = [r.tag for r in result.records]
    snapshot = tags[: tags.index("BEGIN")]
    assert set(snapshot) <= {
        "MAP",
        "GLOBALS",
        "RANGE",
        "ALLOC",
        "STACK",
        "SWITCH",
        "SITE",
        "SNAPSHOT",
        "ROOT",
        "FILE_MAPPED",
    }
    assert (
        snapshot.index("MAP")
        < snapshot.index("GLOBALS")
        < snapshot.index("ALLOC")
        < snapshot.index("STACK")
    )
    nodes = [
        r.address
        for r in result.records[: tags.index("BEGIN")]
        if r.tag == "ALLOC" and r.size == 16
    ]
    assert len(nodes) == 4 and nodes == sorted(nodes)
    (stack,) = result.trace.of("STACK")
    main, work = stack.words[-2:]
    assert main[1] > work[1]
    # the frame of work is entered where a later CALL of main enters work again
    assert work[1] in {r.address for r in result.trace.of("CALL", "RET")}


def test_until(run: Run) -> None:
    result = run(PROGRAM, options=("--from=work#2", "--until=work#2"))
    assert pushed(after_begin(result)) == ALL[2:4]
    assert [r.tag for r in result.records][-4:].count("FINISH") <= 1 and result.trace.of("FINISH")
    finish = result.records.index(result.trace.of("FINISH")[0])
    assert {r.tag for r in result.records[finish + 1 :]} <= {"EXIT", "SCAN", "THREAD_END"}
    assert "recording 0" in result.output and result.trace.end["state"] == "exited"


def test_stop_of_the_collector(run: Run) -> None:
    options = ("--collector-arg=--stop-after=2", "--segment-kib=128")
    result = run("recorder/ends.c", "fork", options=(*options, "--follow-children=yes"), traces=2)
    # A program that ended before it had another segment to send did not notice: the parent fills
    # two, and may have handed over one before it was full, as the collector had nothing to do.
    sent = [int(str(t.end["segments_sent"])) for t in result.traces if t.of("FINISH")]
    assert sent and all(2 < number <= 11 for number in sent)
    assert all(t.of("FINISH") or t.end["segments_sent"] in (2, 3) for t in result.traces)


@pytest.mark.parametrize(("place", "times"), [("work", 4), ("work:entry", 4), ("push:exit", 9)])
def test_cpoint_option(run: Run, place: str, times: int) -> None:
    result = run(PROGRAM, options=("--cpoint=nowhere", f"--cpoint={place}"))
    points = [r for r in result.trace.of("CPOINT") if r.value >> 56 == 2]
    assert len(points) == times and {r.value & 0xFF for r in points} == {1}
    following = result.records[result.records.index(points[-1]) + 1]
    assert following.tag == "SCAN"


def test_cpoint_at_a_line(run: Run) -> None:
    result = run(PROGRAM, options=(f"--cpoint={FILE}:{line('LINE push')}",))
    assert len([r for r in result.trace.of("CPOINT") if r.value >> 56 == 2]) == 9


def test_exit_cpoint_stands_after_the_functions_stores(run: Run) -> None:
    result = run(PROGRAM, options=("--cpoint=push:exit",))
    points = [i for i, r in enumerate(result.records) if r.tag == "CPOINT" and r.value >> 56 == 2]
    assert pushed(result.records[: points[2]]) == ALL[:3]


def test_client_requests(run: Run) -> None:
    result = run(PROGRAM)
    (root,) = result.trace.of("ROOT")
    assert (root.address, root.value, root.kind) == (result.truths("global")[0][0], 8, "the list")
    assert [r.kind for r in result.trace.of("CPOINT")] == ["round"] * 4


def test_root_named_before_the_section(run: Run) -> None:
    result = run(PROGRAM, options=("--from=finish",))
    (root,) = result.trace.of("ROOT")
    assert root.kind == "the list" and root.address == result.truths("global")[0][0]


def test_header_costs_nothing_outside(tmp_path: Path) -> None:
    binary = compile_program(PROGRAM, tmp_path, "-std=c99", "-Wall", "-Werror", "-pedantic")
    done = subprocess.run([binary], capture_output=True, text=True, check=True)
    assert "recording 0" in done.stdout


def test_custom_allocators(run: Run) -> None:
    options = ("--alloc-fn=pool_alloc:2*3", "--alloc-fn=wrapped", "--free-fn=pool_free")
    result = run(PROGRAM, options=options)
    p, r, w = (int(x, 16) for x in result.output.split("custom ")[1].split()[:3])
    custom = [(a.address, a.size) for a in result.trace.of("ALLOC") if a.kind == "custom"]
    inner = r + 112
    assert custom == [(p, 30), (inner, 8), (r, 100), (w, 33)]  # the one that longjmps is not there
    assert [f.address for f in result.trace.of("FREE") if f.kind == "custom"] == [p]
    records = result.records
    born = next(i for i, a in enumerate(records) if a.kind == "custom" and a.tag == "ALLOC")
    store = next(i for i, a in enumerate(records) if a.tag == "STORE" and a.address == p + 1)
    assert born < store
    assert any(a.tag == "FREE" and a.address == w and a.kind == "malloc" for a in records)


def test_receivers(run: Run) -> None:
    result = run(PROGRAM, flags=("-O0",))
    records = result.records
    calls = {r.site.pc + r.site.size for r in result.trace.of("CALL") if r.site and r.site.own}
    receivers = {r.address: r.value for r in result.trace.of("RECEIVER")}
    assert len(receivers) == len(result.trace.of("RECEIVER"))
    # at -O0 malloc's result goes to a variable at rbp - something
    malloc_calls = {
        r.site.pc + r.site.size
        for r, after in itertools.pairwise(records)
        if r.tag == "CALL" and r.site and r.site.own and after.tag in ("ALLOC", "RECEIVER", "SITE")
    }
    memory = [v for a, v in receivers.items() if a in malloc_calls and v >> 56 == 1]
    assert memory and all(v >> 48 & 0xFF == 6 for v in memory) and set(receivers) & calls
