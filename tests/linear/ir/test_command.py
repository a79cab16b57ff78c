"""``heapstory prove --c`` for sources that no specification can be extracted from."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from heapstory.commands import main
from tests.linear.ir.test_structures import MARKED, RING, STACK
from tests.support.schemas import check_answer


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, dict[str, object]]:
    status = main(["prove", "--json", "--timeout", "60", *arguments])
    answer = check_answer(capsys.readouterr().out)
    return status, answer["results"][0]


def test_a_bound_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "pile.c"
    source.write_text(STACK)
    status, found = said(capsys, "--bound", "3", "--c", str(source))
    assert (status, found["verdict"], found["bound"]) == (0, "bounded-ok", 3)
    coverage = found["coverage"]
    assert isinstance(coverage, dict)
    assert coverage["memory_model"] == "RC11"
    strict = main(["prove", "--require-proof", "--bound", "2", "--c", str(source)])
    assert strict == 4


def test_a_refuted_source_has_a_history_and_pictures(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, page = tmp_path / "set.c", tmp_path / "page.html"
    source.write_text(MARKED)
    status, found = said(capsys, "--bound", "4", "--html", str(page), "--c", str(source))
    assert (status, found["verdict"]) == (1, "not-linearizable")
    history = found["counterexample"]
    assert isinstance(history, dict)
    assert {call["operation"] for call in history["operations"]} >= {"set_add", "set_remove"}
    assert history["steps"]
    assert "not-linearizable" in page.read_text()
    assert "set_remove" in page.read_text()


def test_a_race_is_unknown_with_a_history(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "ring.c"
    source.write_text(
        RING.replace("tail + 1, memory_order_release", "tail + 1, memory_order_relaxed")
    )
    one = ("--one-thread", "ring_put", "--one-thread", "ring_get")
    status, found = said(capsys, "--bound", "3", *one, "--c", str(source))
    assert (status, found["verdict"]) == (4, "unknown")
    assert "races" in str(found["reason"])
    assert found["history"]


def test_options_of_the_compiler(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "include").mkdir()
    (tmp_path / "include" / "pile.h").write_text(STACK.replace("malloc(", "ALLOCATE("))
    source = tmp_path / "pile.c"
    source.write_text("#include <pile.h>\n")
    told = ("-I", str(tmp_path / "include"), "-D", "ALLOCATE=malloc")
    assert said(capsys, "--bound", "2", *told, "--c", str(source))[1]["verdict"] == "bounded-ok"
    database = tmp_path / "compile_commands.json"
    command = f"cc -I{tmp_path / 'include'} -DALLOCATE=malloc -c pile.c"
    entry = {"directory": str(tmp_path), "file": "pile.c", "command": command}
    database.write_text(json.dumps([entry]))
    found = said(capsys, "--bound", "2", "-p", str(database), "--c", str(source))[1]
    assert found["verdict"] == "bounded-ok"


ZERO_IS_EMPTY = """
#include <pthread.h>
#include <stdlib.h>
struct node { struct node *next; long value; };
struct queue { struct node *head, *tail; pthread_mutex_t lock; };
static struct node *fresh(long value) {
    struct node *one = malloc(sizeof *one);
    one->next = NULL;
    one->value = value;
    return one;
}
void queue_init(struct queue *q) {
    q->head = q->tail = fresh(0);
    pthread_mutex_init(&q->lock, NULL);
}
void queue_enqueue(struct queue *q, long value) {
    struct node *one = fresh(value);
    pthread_mutex_lock(&q->lock);
    q->tail->next = one;
    q->tail = one;
    pthread_mutex_unlock(&q->lock);
}
long queue_dequeue(struct queue *q) {
    pthread_mutex_lock(&q->lock);
    struct node *next = q->head->next;
    if (!next) {
        pthread_mutex_unlock(&q->lock);
        return 0;
    }
    q->head = next;
    long value = next->value;
    pthread_mutex_unlock(&q->lock);
    return value;
}
"""


def test_empty_may_be_any_answer(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The specification takes -1 for empty; what an empty queue answers here is 0."""
    source = tmp_path / "queue.c"
    source.write_text(ZERO_IS_EMPTY)
    assert main(["prove", "--bound", "4", "--c", str(source)]) == 0
    assert "bounded-ok" in capsys.readouterr().out
