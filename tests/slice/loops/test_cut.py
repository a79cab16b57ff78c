# SPDX-License-Identifier: GPL-2.0-or-later
"""Loops of which a stream has only a part: what the rest of them does nobody can say."""

from __future__ import annotations

import json

import pytest

from tests.conftest import Compile, Heapstory, Record
from tests.support.schemas import check

# The iterations 2 to 14 of the first loop are independent, the others are not.
SOURCE = """volatile int out[64], in[64], chain[64], total;
volatile int from[20] = {[1 ... 14] = 40, [15] = 14, 15, 16, 17, 18};
static void mark(void) { __asm__ volatile(""); }
static void work(void) {
    for (int i = 1; i < 20; i++) { /* work */
        mark();
        out[i] = out[from[i]] + in[i];
    }
}
static void link(void) {
    for (int i = 1; i < 20; i++) { /* chain */
        mark();
        chain[i] = chain[i - 1];
    }
}
int main(void) {
    work();
    link();
    for (int i = 0; i < 9; i++) /* whole */
        in[i] = i;
    for (int i = 0; i < 9; i++) { /* sum */
        total += in[i];
        mark();
    }
    return 0;
}
"""


def line(comment: str) -> int:
    return next(n for n, text in enumerate(SOURCE.splitlines(), 1) if f"/* {comment} */" in text)


def verdicts(heapstory: Heapstory, record: Record, program: str, *window: str) -> dict[str, str]:
    trace = record(program, options=("--stream", *window))
    done = heapstory("loops", trace, "--json")
    assert done.returncode == (4 if window else 0), done.stderr
    answer = check("loops", done.stdout)
    assert all(
        (loop["reason"] is None) == (loop["verdict"] != "unknown") for loop in answer["loops"]
    )
    return {loop["place"]["function"]: loop["verdict"] for loop in answer["loops"]}


@pytest.mark.parametrize("level", ["-O0", "-O2"])
@pytest.mark.parametrize(
    ("window", "expected"),
    [
        ((), {"work": "carried", "link": "carried"}),
        (("--stream-from", "mark#7"), {"work": "carried", "link": "carried"}),
        (("--stream-from", "mark#7", "--stream-until", "mark#5"), {"work": "unknown"}),
        (("--stream-until", "mark#5"), {"work": "unknown"}),
        (("--stream-from", "mark#22", "--stream-until", "mark#5"), {"link": "carried"}),
        (("--stream-from", "mark#16"), {"work": "carried", "link": "carried"}),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_windows(
    window: tuple[str, ...],
    expected: dict[str, str],
    level: str,
    compile_program: Compile,
    record: Record,
    heapstory: Heapstory,
) -> None:
    program = compile_program(SOURCE, level, "-fno-inline", "-fno-ipa-icf", "-fno-tree-vectorize")
    found = verdicts(heapstory, record, program, *window)
    assert {name: found.get(name) for name in expected} == expected


def test_a_loop_is_cut_where_it_was_running(
    compile_program: Compile, record: Record, heapstory: Heapstory
) -> None:
    """Not every loop of a window is cut; one that is may still be seen to carry something."""
    program = compile_program(SOURCE, "-O0")
    trace = record(program, options=("--stream-from", "link", "--stream-until", "mark#22"))
    loops = json.loads(heapstory("loops", trace, "--json").stdout)["loops"]
    told = {loop["place"]["line"]: (loop["verdict"], loop["reason"]) for loop in loops}
    assert told[line("chain")] == ("carried", None)
    assert told[line("whole")] == ("independent", None)
    verdict, reason = told[line("sum")]
    assert verdict == "unknown" and "part of it" in reason


def test_a_program_that_was_killed(
    compile_program: Compile, record: Record, heapstory: Heapstory
) -> None:
    source = """#include <signal.h>
#include <unistd.h>
int out[64];
int main(void) {
    for (int i = 0; i < 30; i++) {
        if (i == 20)
            while (fork() == 0 ? kill(getppid(), SIGKILL) : pause())
                ;
        out[i] = i;
    }
    return 0;
}
"""
    trace = record(compile_program(source), options=("--stream",), status=137)
    done = heapstory("loops", trace, "--json")
    verdicts = {loop["place"]["line"]: loop["verdict"] for loop in json.loads(done.stdout)["loops"]}
    assert (done.returncode, verdicts[5]) == (4, "unknown")
