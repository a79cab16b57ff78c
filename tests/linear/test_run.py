"""``heapstory prove --run``: the code itself in threads, its histories judged."""

from __future__ import annotations

from pathlib import Path

import pytest

from heapstory.commands import main
from heapstory.linear.budget import Budget
from heapstory.linear.ir.harness import Harness
from heapstory.linear.ir.module import read_module
from heapstory.linear.ir.roles import choose
from heapstory.linear.run.judge import Ran, Runner
from tests.linear import LONG
from tests.linear.ir.test_structures import RING, STACK
from tests.support.schemas import check_answer

UNSAFE = """
#include <stdbool.h>
#include <stdlib.h>
struct item { int value; struct item *next; };
struct pile { struct item *volatile top; };
void pile_push(struct pile *p, int value) {
    struct item *one = malloc(sizeof *one);
    one->value = value;
    one->next = p->top;
    p->top = one;
}
bool pile_pop(struct pile *p, int *value) {
    struct item *top = p->top;
    if (!top) return false;
    p->top = top->next;
    *value = top->value;
    return true;
}
"""

LOCK = """
#include <stdatomic.h>
struct gate { atomic_int held; };
void gate_init(struct gate *g) { atomic_init(&g->held, 0); }
void gate_lock(struct gate *g) { while (atomic_load(&g->held)); atomic_store(&g->held, 1); }
void gate_unlock(struct gate *g) { atomic_store(&g->held, 0); }
"""
CLASS = """
#include <atomic>
template <typename T> class Pile {
    struct Item { T value; Item *next; };
    std::atomic<Item *> top{nullptr};
  public:
    void push(T value) { top.store(new Item{value, top.load()}); }
    bool pop(T &value) {
        Item *one = top.load();
        do { if (!one) return false; } while (!top.compare_exchange_weak(one, one->next));
        value = one->value;
        return true;
    }
};
template class Pile<int>;
"""


def run(
    capsys: pytest.CaptureFixture[str], source: Path, seconds: str, *options: str
) -> tuple[int, dict[str, object]]:
    status = main(["prove", "--json", "--run", "--timeout", seconds, *options, "--c", str(source)])
    answer = check_answer(capsys.readouterr().out)
    return status, answer["results"][0]


def test_a_stack_without_care_shows_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "pile.c"
    source.write_text(UNSAFE)
    status, found = run(capsys, source, "120")
    assert (status, found["verdict"]) == (1, "not-linearizable")
    history = found["counterexample"]
    assert isinstance(history, dict)
    assert len(history["operations"]) == 9
    assert "seed" in str(found["reason"])


@pytest.mark.parametrize(("name", "text"), [("gate.c", LOCK), ("pile.cc", CLASS)])
def test_locks_and_classes_are_run(
    name: str, text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Between the look and the write others come in, as also Valgrind's switches show."""
    source = tmp_path / name
    source.write_text(text)
    status, found = run(capsys, source, "200")
    assert (status, found["verdict"]) == (1, "not-linearizable")


def test_threads_are_switched_under_valgrind(tmp_path: Path) -> None:
    source = tmp_path / "pile.c"
    source.write_text(UNSAFE)
    module = read_module(str(source), ())
    runner = Runner(Harness(module, choose(module, None, None)), Budget(LONG), tmp_path)
    ran = Ran(0, [])
    for first in range(0, 400, 20):
        if runner.some(first, True, ran):
            break
    assert ran.wrong


def test_right_histories_show_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "pile.c"
    source.write_text(STACK)
    status, found = run(capsys, source, "3")
    assert (status, found["verdict"]) == (4, "unknown")
    assert "were right; that shows nothing" in str(found["reason"])
    assert not str(found["reason"]).startswith("0 ")


def test_single_producers_are_kept_single(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "ring.c"
    source.write_text(RING)
    one = ("--one-thread", "ring_put", "--one-thread", "ring_get")
    found = run(capsys, source, "3", *one)[1]
    assert found["verdict"] == "unknown"
    assert "were right" in str(found["reason"])
    assert not str(found["reason"]).startswith("0 ")
