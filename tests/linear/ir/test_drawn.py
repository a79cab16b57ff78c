"""Random histories of more calls than all interleavings can be tried of."""

from __future__ import annotations

from pathlib import Path

import pytest

from heapstory._core import Interleaved, Interleaver, Stop
from heapstory.linear.budget import Budget
from heapstory.linear.ir.drawn import Drawing, Program, program_of, shrunk, size_of
from heapstory.linear.ir.judge import Judge, Outcome
from heapstory.linear.ir.verdict import Wanted, harness_of, judge_source

QUEUE = Path(__file__).parent / "programs" / "hw_queue.c"
ENQUEUE, DEQUEUE = 0, 1
# Two threads insert twice and once; the others take three and insert once.
PROGRAM: Program = [[ENQUEUE], [ENQUEUE, DEQUEUE], [], [ENQUEUE, DEQUEUE, ENQUEUE, DEQUEUE]]
SECONDS = 1e6
MEMORY = 1 << 40  # bytes
# One thread after the other is right; the fifth call forgets to look.
FIFTH = """
#include <pthread.h>
#include <stdatomic.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static atomic_int calls, busy[2];
static int n;
int counter_increment(void) {
    int tries = atomic_fetch_add(&calls, 1) < 4;
    atomic_fetch_add(&busy[0], 1); atomic_fetch_add(&busy[1], 1);
    if (tries) {
        pthread_mutex_lock(&m);
        int old = n++;
        pthread_mutex_unlock(&m);
        return old;
    }
    pthread_mutex_lock(&m);
    int old = n;
    pthread_mutex_unlock(&m);
    atomic_fetch_add(&busy[0], 1);
    pthread_mutex_lock(&m);
    n = old + 1;
    pthread_mutex_unlock(&m);
    return old;
}
int counter_read(void) {
    pthread_mutex_lock(&m);
    int old = n;
    pthread_mutex_unlock(&m);
    return old;
}
"""


def machine(*options: str) -> Interleaver:
    judge = Judge(harness_of(Wanted(str(QUEUE), options)), 2, Budget(SECONDS))
    return Interleaver(judge.harness.words(False, judge.capacity))


def drawn(of: Interleaver, program: Program, first: int, count: int) -> Interleaved:
    calls, threads = size_of(program), len(program)
    return of.draw(calls, threads, 2, first, count, SECONDS, Stop(), program)


def shown(found: Interleaved) -> list[tuple[int, int, int]]:
    return [(call.slot, call.operation, call.answer) for call in found.calls]


def test_an_error_of_seven_calls_is_drawn() -> None:
    weak = machine("-DTAKEN=memory_order_acquire")
    found = drawn(weak, PROGRAM, 0, 200_000)
    assert found.outcome == "unexplained"
    assert program_of(found.calls, 4) == PROGRAM
    again = drawn(weak, PROGRAM, found.histories, 1)
    assert shown(again) == shown(found) and again.histories == 0
    assert drawn(machine(), PROGRAM, 0, found.histories + 1).outcome == "explained"


def test_a_program_is_all_that_is_called() -> None:
    program = [[ENQUEUE, ENQUEUE], [DEQUEUE]]
    found = machine().search(3, 2, 2, 1_000_000, MEMORY, SECONDS, False, Stop(), program)
    every = machine().search(3, 2, 2, 1_000_000, MEMORY, SECONDS, False, Stop())
    assert found.outcome == every.outcome == "explained"
    assert 0 < found.states < every.states
    with pytest.raises(ValueError, match="a program for each thread"):
        machine().search(3, 2, 2, 1000, MEMORY, SECONDS, False, Stop(), [[ENQUEUE]])


def test_calls_that_it_does_not_need_are_taken_away() -> None:
    program = [[ENQUEUE, DEQUEUE], [ENQUEUE], [ENQUEUE, DEQUEUE]]

    def search(fewer: Program) -> str | None:
        both = any(ENQUEUE in own for own in fewer) and DEQUEUE in fewer[2]
        return str(fewer) if both else None

    found, left = shrunk("first", program, search)  # type: ignore[arg-type]
    assert size_of(left) == 2 and left[2][-1] == DEQUEUE
    assert str(found) == str(left)


def test_every_size_has_its_turn_with_seeds_of_its_own() -> None:
    drawing = Drawing(1)
    turns = [drawing.next() for _ in range(20)]
    assert {calls for calls, *_ in turns} == {4, 5, 6, 7, 8}
    assert {threads for _, threads, *_ in turns} == {2, 3, 4}
    ends = [first + count for _, _, first, count in turns]
    assert [first for _, _, first, _ in turns] == [0, *ends[:-1]]


def judged(folder: Path, text: str, calls: int | None) -> Outcome:
    path = folder / "fifth.c"
    path.write_text(text)
    return judge_source(Wanted(str(path), calls=calls), Budget(SECONDS, 2_000_000))


def test_what_needs_more_calls_than_the_bound_is_found_without_one(tmp_path: Path) -> None:
    assert judged(tmp_path, FIFTH, 3).verdict == "bounded-ok"
    outcome = judged(tmp_path, FIFTH, None)
    assert outcome.verdict == "not-linearizable"
    assert len(outcome.history) >= 5
