"""``heapstory prove --run``: the code itself in threads, its histories judged."""

from __future__ import annotations

from pathlib import Path

import pytest

from heapstory.commands import main
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
