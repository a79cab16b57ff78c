"""What C and its libraries leave open, and rules of theirs that code may break: the machine must
try the first and notice the second."""

from __future__ import annotations

from pathlib import Path

import pytest

from heapstory.linear.budget import Budget
from heapstory.linear.ir.judge import Outcome
from heapstory.linear.ir.verdict import Wanted, judge_source

LOCKED = """
#include <pthread.h>
#include <stdlib.h>
struct counter { pthread_mutex_t m, n; int value; };
void counter_init(struct counter *c) { INIT c->value = 0; }
int counter_increment(struct counter *c) {
    pthread_mutex_lock(&c->m);
    int old = c->value;
    c->value = old + 1;
    BEFORE
    pthread_mutex_unlock(&c->m);
    return old;
}
int counter_read(struct counter *c) {
    READ
    int found = c->value;
    pthread_mutex_unlock(&c->m);
    return found;
}
"""
INIT = "pthread_mutex_init(&c->m, NULL); pthread_mutex_init(&c->n, NULL);"


def judged(tmp_path: Path, text: str, seconds: float = 60) -> Outcome:
    path = tmp_path / "source.c"
    path.write_text(text)
    return judge_source(Wanted(str(path), calls=3), Budget(seconds, 200_000))


def locked(init: str = INIT, before: str = "", read: str = "pthread_mutex_lock(&c->m);") -> str:
    return LOCKED.replace("INIT", init).replace("BEFORE", before).replace("READ", read)


def test_a_mutex_that_is_used_as_it_should_be(tmp_path: Path) -> None:
    assert judged(tmp_path, locked()).verdict == "bounded-ok"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        # while another holds it
        (locked(read="while (pthread_mutex_trylock(&c->m)) pthread_mutex_unlock(&c->m);"),
         "the unlocking of a mutex that its thread does not hold"),
        (locked(init=""), "a value that was never written"),
        (locked(before="if (old) { pthread_mutex_lock(&c->m); pthread_mutex_unlock(&c->m); }"),
         "the locking of a mutex that its thread holds"),
    ],
)  # fmt: skip
def test_a_mutex_that_is_not(tmp_path: Path, text: str, reason: str) -> None:
    outcome = judged(tmp_path, text)
    assert outcome.verdict == "unknown"
    assert reason in outcome.reason


def test_memory_that_others_free_meanwhile_is_handed_out(tmp_path: Path) -> None:
    """The box that was seen can be the new one: it was freed in between."""
    text = """
#include <stdatomic.h>
#include <stdlib.h>
_Atomic(int *) box;
atomic_int count;
int increment(void) {
    int *old = atomic_load(&box), *new = malloc(sizeof *new);
    if (new == old) return 77;
    int found = atomic_fetch_add(&count, 1);
    free(atomic_exchange(&box, new));
    return found;
}
int read(void) { return atomic_load(&count); }
"""
    assert judged(tmp_path, text).verdict == "not-linearizable"
