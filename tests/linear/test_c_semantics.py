"""What C means, where a specification would mean something else: small sources with their verdict,
or with what is said of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from heapstory.linear.c.extract import Extracted, extract
from heapstory.linear.verdict.judge import judge
from heapstory.linear.verdict.report import BOUNDED, PROVED, REFUTED, UNKNOWN, Options, Report
from tests.linear import LONG

HEAD = """
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
struct node { int value; struct node *_Atomic next; };
struct stack { struct node *_Atomic top; pthread_mutex_t lock, other; };
"""
PUSH = """
void push(struct stack *s, int value) {
    struct node *node = malloc(sizeof *node), *old;
    node->value = value;
    do {
        old = atomic_load(&s->top);
        atomic_store(&node->next, old);
    } while (!atomic_compare_exchange_strong(&s->top, &old, node));
}
"""
POP = """
int pop(struct stack *s) {
    for (;;) {
        struct node *old = atomic_load(&s->top);
        if (!old)
            return -1;
        struct node *next = atomic_load(&old->next);
        if (atomic_compare_exchange_strong(&s->top, &old, next))
            return old->value;
    }
}
"""


def read(tmp_path: Path, text: str) -> Extracted:
    file = tmp_path / "source.c"
    file.write_text(HEAD + text)
    return extract(str(file), None, None, None)


def judged(tmp_path: Path, text: str, bound: int = 2, proof: bool = False) -> Report:
    found = read(tmp_path, text)
    assert found.spec is not None, found.reason
    return judge(found.spec, Options(bound=bound, c=True, proof=proof, timeout=LONG))


def test_what_is_right_is_proved(tmp_path: Path) -> None:
    pytest.importorskip("z3")
    assert judged(tmp_path, PUSH + POP, 3, proof=True).verdict == PROVED


# what the source does -> the source, what is said
NOT_MODELLED = {
    "a function that may be the initialiser": (
        PUSH + POP + "void prepare(struct stack *s) { atomic_store(&s->top, NULL); }",
        "call it init",
    ),
    "two that may be": (
        PUSH + POP + "void stack_init(struct stack *s) { atomic_store(&s->top, NULL); }"
        "void stack_new(struct stack *s) { atomic_store(&s->top, NULL); }",
        "stack_init or stack_new",
    ),
    "an initialiser that leaves something out": (
        PUSH + POP + "void init(struct stack *s) { pthread_mutex_init(&s->lock, NULL); }",
        "leaves 'top'",
    ),
    "another mutex is unlocked": (
        "void push(struct stack *s, int v) { pthread_mutex_lock(&s->lock);"
        " atomic_store(&s->top, NULL); pthread_mutex_unlock(&s->other); }" + POP,
        "has not locked",
    ),
    "a number that wraps": (
        "static _Atomic uint8_t n; int increment(void) { return atomic_fetch_add(&n, 1); }"
        "int get(void) { return atomic_load(&n); }",
        "8 bits",
    ),
    "a number that is cut off": (
        "static _Atomic uint8_t n; void write(int v) { atomic_store(&n, v); }"
        "int read(void) { return atomic_load(&n); }",
        "8 bits",
    ),
    "an unsigned number below 0": (
        "static _Atomic unsigned n; int increment(void) { unsigned v = atomic_load(&n);"
        " if (v - 1 < 5u) return 0; return atomic_fetch_add(&n, 1); }"
        "int get(void) { return atomic_load(&n); }",
        "below 0",
    ),
    "a member of a union": (
        "struct both { union { _Atomic int a; _Atomic int b; } u; };"
        "void write(struct both *r, int v) { atomic_store(&r->u.a, v); }"
        "int read(struct both *r) { return atomic_load(&r->u.b); }",
        "a part of the field",
    ),
    "a member of a union that is a variable": (
        "static union { _Atomic int a; _Atomic char b[4]; } u;"
        "void write(int v) { atomic_store(&u.a, v); }"
        "int read(void) { return atomic_load(&u.b[0]); }",
        "a part of 'u'",
    ),
    "a part of a variable": (
        "static _Atomic int n; void write(int v) { atomic_store(&n, v); }"
        "int read(void) { return atomic_load((_Atomic char *)&n); }",
        "a part of 'n'",
    ),
    "new memory that is read": (
        "void push(struct stack *s, int v) { struct node *n = malloc(sizeof *n);"
        " if (n->value == 0) n->value = v; atomic_store(&n->next, NULL);"
        " atomic_store(&s->top, n); }" + POP,
        "no value yet",
    ),
    "a walk that reads a mark as well": (
        "struct item { int key; _Atomic int mark; struct item *_Atomic next; };"
        "struct list { struct item *_Atomic head; };"
        "bool contains(struct list *l, int key) { struct item *at = atomic_load(&l->head);"
        " while (at != NULL && at->mark == 0) at = at->next;"
        " return at != NULL; }"
        "bool add(struct list *l, int key) { struct item *at = atomic_load(&l->head);"
        " if (at == NULL) return false; atomic_store(&at->mark, 1);"
        " atomic_store(&at->next, NULL); return true; }",
        "more than one changing field",
    ),
}


@pytest.mark.parametrize("name", NOT_MODELLED)
def test_what_is_not_modelled_is_unknown(tmp_path: Path, name: str) -> None:
    text, words = NOT_MODELLED[name]
    found = read(tmp_path, text)
    assert found.spec is None and words in found.reason, found.text


RACES = {
    "a plain access": (
        "static int cell; void write(int v) { cell = v; } int read(void) { return cell; }"
    ),
    "a plain access under another lock": (
        "static pthread_mutex_t a, b; static int cell;"
        "void write(int v) { pthread_mutex_lock(&a); cell = v; pthread_mutex_unlock(&a); }"
        "int read(void) { pthread_mutex_lock(&b); int r = cell; pthread_mutex_unlock(&b);"
        " return r; }"
    ),
}


@pytest.mark.parametrize("name", RACES)
def test_nothing_good_is_said_of_a_race(tmp_path: Path, name: str) -> None:
    found = read(tmp_path, RACES[name])
    assert "races with" in found.doubt and found.spec is not None
    options = Options(bound=2, c=True, doubt=found.doubt, proof=False, timeout=LONG)
    report = judge(found.spec, options)
    assert report.verdict == UNKNOWN and report.reason == found.doubt


# what the source does -> the source, operations that show it, what is said
FAULTY = {
    "follows NULL": (
        PUSH + "int pop(struct stack *s) { struct node *old = atomic_load(&s->top);"
        " struct node *next = atomic_load(&old->next); atomic_store(&s->top, next);"
        " return old->value; }",
        1,
    ),
    "reads memory that holds no value": (
        PUSH.replace("        atomic_store(&node->next, old);\n", "") + POP,
        2,
    ),
    "uses freed memory": (
        PUSH + POP.replace("return old->value;", "{ int r = old->value; free(old); return r; }"),
        3,
    ),
}


@pytest.mark.parametrize("what", FAULTY)
def test_what_c_gives_no_meaning_is_unknown(tmp_path: Path, what: str) -> None:
    text, bound = FAULTY[what]
    report = judged(tmp_path, text, bound)
    assert report.verdict == UNKNOWN and what in report.reason


def test_freed_memory_is_handed_out_again(tmp_path: Path) -> None:
    text = FAULTY["uses freed memory"][0]
    report = judged(tmp_path, text, 6)
    assert report.verdict == REFUTED and report.reuse


def test_a_weak_exchange_may_fail(tmp_path: Path) -> None:
    counter = """
    static _Atomic int n;
    int increment(void) { int old = atomic_load(&n);
      if (atomic_compare_exchange_%s(&n, &old, old + 1)) return old; return 77; }
    int get(void) { return atomic_load(&n); }
    """
    assert judged(tmp_path, counter % "strong", 1).verdict == BOUNDED
    assert judged(tmp_path, counter % "weak", 1).verdict == REFUTED


def test_an_initialiser_by_a_longer_name_counts(tmp_path: Path) -> None:
    init = """
    struct stack *stack_create(void) {
        struct stack *s = malloc(sizeof *s);
        struct node *first = calloc(1, sizeof *first);
        first->value = 7;
        atomic_store(&s->top, first);
        return s;
    }
    """
    report = judged(tmp_path, PUSH + POP + init, 1)
    assert report.verdict == REFUTED  # a new stack is not empty
    empty = init.replace("atomic_store(&s->top, first);", "atomic_store(&s->top, NULL);")
    assert judged(tmp_path, PUSH + POP + empty, 2).verdict == BOUNDED
