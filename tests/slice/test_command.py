# SPDX-License-Identifier: GPL-2.0-or-later
"""``heapstory slice``: criteria, forms of the answer, options, and questions it refuses."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Compile, Heapstory, Record
from tests.support.schemas import check

PROGRAM = """#include <stdlib.h>
struct node { struct node *next; int key; };
int result, total;
static struct node *push(struct node *head, int key) {
    struct node *n = malloc(sizeof *n);
    n->key = key; /* key */
    n->next = NULL; /* null */
    if (key > 1) /* test */
        n->next = head; /* link */
    return n;
}
static int weigh(int x) {
    int y = x * 2; /* weigh */
    total += y; /* total */
    return y;
}
int main(int argc, char **argv) {
    struct node *head = NULL;
    for (int i = 1; i <= 3; i++) /* loop */
        head = push(head, i); /* push */
    int a = argc + 4; /* a */
    int b = weigh(a); /* b */
    weigh(b); /* again */
    result = head->next->key; /* result */
    if (argc > 7)
        result = 0; /* never */
    return 0;
}
"""

Ask = Callable[..., Any]


def line(comment: str) -> int:
    return next(n for n, text in enumerate(PROGRAM.splitlines(), 1) if f"/* {comment} */" in text)


@pytest.fixture(scope="module")
def trace(
    compile_program: Compile, heapstory: Heapstory, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    found = tmp_path_factory.mktemp("slice") / "t.story"
    done = heapstory("record", "--stream", "-o", found, "--", compile_program(PROGRAM))
    assert done.returncode == 0, done.stderr
    return found


@pytest.fixture
def ask(trace: Path, heapstory: Heapstory) -> Ask:
    """ask("program.c:12", "--thin"): the JSON answer, whose status must be 0."""

    def asked(criterion: str, *options: str, status: int = 0) -> Any:
        done = heapstory("slice", trace, "--criterion", criterion, *options, "--json")
        assert done.returncode == status, done.stderr
        return json.loads(done.stdout)

    return asked


def lines(answer: Any) -> list[int]:
    return [one["line"] for one in answer["statements"]]


def test_a_line_and_its_executions(ask: Ask) -> None:
    at = f"program.c:{line('weigh')}"
    last, first = ask(at), ask(f"{at}#1")
    assert line("again") in lines(last) and line("again") not in lines(first)
    assert "2 of 2" in last["words"] and "1 of 2" in first["words"]
    assert ask(f"{at}#-2")["statements"] == first["statements"]
    assert line("a") in lines(first)


def test_a_variable_after_a_line(ask: Ask) -> None:
    found = lines(ask(f"program.c:{line('b')}:b"))
    assert {line("a"), line("b"), line("weigh")} <= set(found)
    assert line("push") not in found
    assert line("b") not in lines(ask(f"program.c:{line('b')}:a"))
    # Written by what the line called.
    assert line("total") in lines(ask(f"program.c:{line('again')}:total"))


def test_registers_and_memory(ask: Ask) -> None:
    answer = ask(f"program.c:{line('b')}:b")
    stored = next(one for one in answer["edges"] if one["name"] == "b" and one["value"])
    assert (stored["value"], stored["text"]) == ("0xa", "10")
    assert lines(ask(f"program.c:{line('a')}:$rip".replace("$rip", "$eax"))) == [
        line("a") - 4,
        line("a"),
    ]


def test_a_change_of_the_graph(ask: Ask, trace: Path, heapstory: Heapstory) -> None:
    sql = f"SELECT timestamp FROM edges JOIN sites USING (site) WHERE line = {line('link')}"
    done = heapstory("query", trace, sql, "--json")
    timestamps = [row[0] for row in json.loads(done.stdout)["rows"]]
    assert len(timestamps) == 2
    answer = ask(f"@{timestamps[-1]}")
    assert {line("test"), line("link"), line("push"), line("loop")} <= set(lines(answer))
    assert answer["place"]["line"] == line("link")


def test_reads(ask: Ask) -> None:
    assert ask("read#-1")["instructions"] >= 1
    assert ask("read#1")["trace_instructions"] > ask("read#1")["instructions"]


def test_why(ask: Ask) -> None:
    """Line LINK ran because line TEST compared key, which line PUSH gave."""
    answer = ask(f"program.c:{line('link')}")
    index = {place["line"]: number for number, place in enumerate(answer["statements"])}
    kinds = {(one["from"], one["to"]): one["kind"] for one in answer["edges"]}
    assert kinds[index[line("link")], index[line("test")]] == "control"
    assert (None, index[line("link")]) in kinds
    head = index[line("push") - 1]
    assert any(user == index[line("push")] and used == head for user, used in kinds)


def test_precision(ask: Ask) -> None:
    at = f"program.c:{line('result')}:result"
    whole, data = set(lines(ask(at))), set(lines(ask(at, "--data-only")))
    thin = set(lines(ask(at, "--thin")))
    assert thin < data < whole
    assert line("test") in whole - data and line("link") in data - thin
    assert line("key") in thin
    control = set(lines(ask(f"program.c:{line('link')}", "--control-only")))
    assert {line("test"), line("link"), line("push"), line("loop")} <= control
    assert line("key") not in control


def test_narrowing(ask: Ask) -> None:
    at = f"program.c:{line('result')}:result"
    stopped = lines(ask(at, "--stop-at", "push"))
    assert line("link") in stopped and line("test") not in stopped
    through = ask(at, "--through", f"program.c:{line('key')}")
    assert line("key") in lines(through) and line("link") not in lines(through)
    near = ask(at, "--max-statements", "2", status=4)
    assert len(near["statements"]) == 2 and line("result") in lines(near)
    assert near["statements_cut"] == len(ask(at)["statements"]) - 2


def test_forms(trace: Path, heapstory: Heapstory, tmp_path: Path) -> None:
    at = f"program.c:{line('link')}"
    words = ("slice", trace, "--criterion", at)
    text = heapstory(*words).stdout
    assert re.search(r"> +9 \| n->next = head;", text)
    assert "decided that it ran" in text and "key = 3" in text
    by_time = heapstory(*words, "--order", "time").stdout.splitlines()
    steps = [int(found[1].replace(",", "")) for row in by_time if (found := _STEP.search(row))]
    assert steps == sorted(steps) and len(steps) > 5
    log, drawing = tmp_path / "log.sarif", tmp_path / "s.svg"
    assert heapstory(*words, "--sarif", log, "-o", drawing).returncode == 0
    (result,) = check("sarif", log.read_text())["runs"][0]["results"]
    flow = result["codeFlows"][0]["threadFlows"][0]["locations"]
    last = flow[-1]["location"]["physicalLocation"]["region"]["startLine"]
    assert last == line("link") and len(flow) == len(steps)
    assert "<svg" in drawing.read_text() and "program.c:9" in drawing.read_text()
    dot = heapstory(*words, "--format", "dot").stdout
    assert dot.startswith("digraph slice") and "style=dashed" in dot


_STEP = re.compile(r"step ([0-9,]+)")


@pytest.mark.parametrize(
    ("criterion", "status", "words"),
    [
        (f"program.c:{line('never')}", 2, "never ran in the stream (the nearest lines that did:"),
        (f"program.c:{line('weigh')}#3", 2, "ran 2 times"),
        ("other.c:3", 2, "files: program.c"),
        (f"program.c:{line('weigh')}:nothing", 2, "there are: x, y"),
        ("@99999", 2, "timestamp 99999"),
        ("crash", 2, "no instruction of the stream faulted"),
        ("read#99999999", 2, "fewer memory reads"),
        ("nonsense", 2, "wants FILE:LINE"),
        (f"program.c:{line('b')}:$rsp", 2, "stack pointer"),
    ],
)
def test_questions_without_an_answer(
    criterion: str, status: int, words: str, trace: Path, heapstory: Heapstory
) -> None:
    done = heapstory("slice", trace, "--criterion", criterion)
    assert (done.returncode, done.stdout) == (status, "")
    assert words in done.stderr and done.stderr.count("\n") == 1


def test_a_trace_without_a_stream(
    compile_program: Compile, record: Record, heapstory: Heapstory
) -> None:
    plain = record(compile_program(PROGRAM))
    done = heapstory("slice", plain, "--criterion", "program.c:5")
    assert done.returncode == 2 and "record --stream" in done.stderr


def test_an_optimised_variable(
    compile_program: Compile, record: Record, heapstory: Heapstory
) -> None:
    trace = record(compile_program(PROGRAM, "-O2"), options=("--stream",))
    at = f"program.c:{line('result')}"
    done = heapstory("slice", trace, "--criterion", f"{at}:b")
    assert done.returncode == 2 and "optimised away" in done.stderr
    assert heapstory("slice", trace, "--criterion", at).returncode == 0


def test_a_window_that_begins_after_the_cause(
    compile_program: Compile, record: Record, heapstory: Heapstory
) -> None:
    window = ("--stream-from", f"program.c:{line('b')}")
    trace = record(compile_program(PROGRAM), options=window)
    done = heapstory("slice", trace, "--criterion", f"program.c:{line('result')}", "--json")
    assert done.returncode == 4 and "before the stream began" in done.stderr
    answer = json.loads(done.stdout)
    assert answer["beyond"] and not answer["complete"]
    outside = heapstory("slice", trace, "--criterion", "@1")
    assert outside.returncode == 4 and "outside of the recorded stream" in outside.stderr


def test_lookups_of_the_loader_have_no_part(
    compile_program: Compile, record: Record, heapstory: Heapstory
) -> None:
    """Where a function was called first, and the code that Valgrind runs then, do not matter."""
    source = """#include <stdlib.h>
#include <string.h>
static char text[8];
int main(void) {
    int *early = malloc(4);
    strcpy(text, "abc");
    int *late = malloc(8);
    free(early);
    free(late);
    return 0;
}
"""
    trace = record(compile_program(source), options=("--stream",))
    sql = "SELECT max(timestamp) FROM events WHERE kind = 'free'"
    ((freed,),) = json.loads(heapstory("query", trace, sql, "--json").stdout)["rows"]
    for criterion in (f"@{freed}", "program.c:9", "program.c:8:late"):
        done = heapstory("slice", trace, "--criterion", criterion, "--json")
        found = {one["line"] for one in json.loads(done.stdout)["statements"]}
        assert found - {9} == {7}, (criterion, done.stderr)


def test_a_crash(compile_program: Compile, record: Record, heapstory: Heapstory) -> None:
    source = """#include <stddef.h>
int noise;
int main(int argc, char **argv) {
    int *p = NULL;
    int index = argc + 2;
    noise = index;
    p += index;
    *p = 7;
    return 0;
}
"""
    trace = record(compile_program(source), options=("--stream",), status=139)
    done = heapstory("slice", trace, "--criterion", "crash", "--json")
    assert done.returncode == 0, done.stderr
    assert [one["line"] for one in json.loads(done.stdout)["statements"]] == [3, 4, 5, 7, 8]


def test_several_criteria_are_answered_as_if_alone(ask: Ask) -> None:
    first, second = f"program.c:{line('b')}", f"program.c:{line('result')}"
    both = ask(first, "--criterion", second)
    (further,) = both["further"]
    for found, alone in ((both, ask(first)), (further, ask(second))):
        for key in ("criterion", "statements", "moments", "edges", "instructions"):
            assert found[key] == alone[key]


def test_several_criteria_in_every_format(trace: Path, heapstory: Heapstory) -> None:
    asked = ["slice", trace, "--criterion", f"program.c:{line('b')}", "--criterion", "end:total"]
    text = heapstory(*asked).stdout
    assert f"program.c:{line('b')}: what" in text and "end:total: total" in text
    log = json.loads(heapstory(*asked, "--format", "sarif").stdout)
    assert len(log["runs"][0]["results"]) == 2
    assert heapstory(*asked, "--format", "dot").returncode == 2
    assert heapstory(*asked, "--forward").returncode == 2


def test_a_line_outside_of_the_window(
    compile_program: Compile, heapstory: Heapstory, tmp_path: Path
) -> None:
    program, window = compile_program(PROGRAM), tmp_path / "window.story"
    start = f"program.c:{line('result')}"
    heapstory("record", "--stream", "--stream-from", start, "-o", window, "--", program)
    done = heapstory("slice", window, "--criterion", f"program.c:{line('b')}")
    assert done.returncode == 2
    assert "never ran in the stream" in done.stderr and "--stream-from" in done.stderr


@pytest.mark.parametrize("option", ["--stream-until", "--until"])
def test_a_stream_that_ended_before_the_program(
    option: str, compile_program: Compile, record: Record, heapstory: Heapstory
) -> None:
    """Where a stream is ended is no crash, and what came later may have been influenced."""
    source = PROGRAM.replace("return 0;", "return *(volatile int *)8;")
    window = ("--stream", option, f"program.c:{line('again')}")
    trace = record(compile_program(source), options=window, status=139)
    crash = heapstory("slice", trace, "--criterion", "crash")
    assert (crash.returncode, crash.stdout) == (4, "") and "ended before" in crash.stderr
    assert heapstory("loops", trace).returncode == 4
    at = f"program.c:{line('weigh')}"
    forward = heapstory("slice", trace, "--criterion", at, "--forward", "--json")
    assert forward.returncode == 4 and "ended before" in forward.stderr
    assert not json.loads(forward.stdout)["complete"]
    chop = heapstory("slice", trace, "--criterion", at, "--chop", at, "--json")
    assert chop.returncode == 0 and json.loads(chop.stdout)["complete"]


def test_a_branch_before_the_stream(
    compile_program: Compile, record: Record, heapstory: Heapstory
) -> None:
    source = """int result;
static void mark(void) {}
int main(int argc, char **argv) {
    if (argc < 7) {
        mark();
        result = 7;
    }
    return 0;
}
"""
    program, at = compile_program(source), ("--criterion", "program.c:6:result", "--json")
    late = record(program, options=("--stream-from", "mark"))
    done = heapstory("slice", late, *at)
    answer = json.loads(done.stdout)
    assert (done.returncode, answer["complete"], answer["beyond"]) == (4, False, ["branches"])
    assert "before the stream began" in done.stderr
    assert heapstory("slice", late, *at, "--data-only").returncode == 0


def test_a_number_of_instructions_is_a_window(
    compile_program: Compile, record: Record, heapstory: Heapstory
) -> None:
    trace = record(compile_program(PROGRAM), options=("--stream-for", "1000"))
    done = heapstory("slice", trace, "--criterion", f"program.c:{line('b')}")
    assert done.returncode == 2 and "a part of the run" in done.stderr


def test_a_stream_that_never_began(
    compile_program: Compile, record: Record, heapstory: Heapstory
) -> None:
    source = PROGRAM.replace("int main(", "void never(void) {}\nint main(")
    trace = record(compile_program(source), options=("--stream-from", "never"))
    for command in ("slice", "loops"):
        asked = ("--criterion", "crash") if command == "slice" else ()
        done = heapstory(command, trace, *asked)
        assert done.returncode == 2 and "never reached" in done.stderr


def test_a_stream_cut_off_before_its_first_part(
    compile_program: Compile, record: Record, heapstory: Heapstory
) -> None:
    trace = record(compile_program(PROGRAM), options=("--stream",))
    chunks = trace / "chunks"
    chunks.write_bytes(chunks.read_bytes()[:4096])
    done = heapstory("slice", trace, "--criterion", "crash")
    assert done.returncode == 4 and "cut off" in done.stderr
