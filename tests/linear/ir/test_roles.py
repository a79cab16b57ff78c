"""Which functions are taken for what; what is not of the type it looks like is not judged by it."""

from __future__ import annotations

from pathlib import Path

import pytest

from heapstory.errors import UsageError
from heapstory.linear.budget import Budget
from heapstory.linear.ir.judge import Outcome
from heapstory.linear.ir.roles import by_names
from heapstory.linear.ir.verdict import Wanted, judge_source

BY_SIZE = """
#include <pthread.h>
#include <stdbool.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int items[16], count;
void NAME_push(int v) {
    pthread_mutex_lock(&m);
    int i = count++;
    while (i > 0 && items[i - 1] LESS v) items[i] = items[i - 1], i--;
    items[i] = v;
    pthread_mutex_unlock(&m);
}
bool NAME_pop(int *out) {
    pthread_mutex_lock(&m);
    bool some = count > 0;
    if (some) *out = items[--count];
    pthread_mutex_unlock(&m);
    return some;
}
"""
READERS = """
#include <stdatomic.h>
struct rw { atomic_int state; };
void rw_init(struct rw *s) { atomic_init(&s->state, 0); }
void rw_read_lock(struct rw *s) {
    for (;;) {
        int seen = atomic_load(&s->state);
        if (seen >= 0 && atomic_compare_exchange_strong(&s->state, &seen, seen + 1)) return;
    }
}
void rw_read_unlock(struct rw *s) { atomic_fetch_sub(&s->state, 1); }
void rw_write_lock(struct rw *s) {
    for (int free = 0; !atomic_compare_exchange_strong(&s->state, &free, -1);) free = 0;
}
void rw_write_unlock(struct rw *s) { atomic_store(&s->state, 0); }
"""
UNNAMED = """
#include <stdatomic.h>
struct c { atomic_int value, careless; };
void c_prepare(struct c *x) { atomic_init(&x->value, 0); atomic_init(&x->careless, 1); }
int c_increment(struct c *x) {
    if (!atomic_load(&x->careless)) return atomic_fetch_add(&x->value, 1);
    int old = atomic_load(&x->value);
    atomic_store(&x->value, old + 1);
    return old;
}
int c_read(struct c *x) { return atomic_load(&x->value); }
"""
TWO_LOCKS = """
#include <atomic>
struct bad { std::atomic<int> held{0}; void lock(); void unlock(); };
struct good { std::atomic<int> taken{0}, left{0}; void lock(); void unlock(); good(); };
good::good() {}
void bad::lock() { while (held.load()) {} held.store(1); }
void good::lock() { int mine = taken.fetch_add(1); while (left.load() != mine) {} }
void good::unlock() { left.fetch_add(1); }
"""


def judged(tmp_path: Path, text: str, functions: str | None = None, name: str = "s.c") -> Outcome:
    path = tmp_path / name
    path.write_text(text)
    return judge_source(Wanted(str(path), functions=functions, calls=3), Budget(60, 200_000))


@pytest.mark.parametrize(("name", "less"), [("queue", "<"), ("stack", ">")])
def test_a_priority_queue_is_neither_queue_nor_stack(tmp_path: Path, name: str, less: str) -> None:
    outcome = judged(tmp_path, BY_SIZE.replace("NAME", name).replace("LESS", less))
    assert outcome.verdict == "unknown"
    assert "takes values by their size" in outcome.reason


def test_readers_do_not_exclude_each_other_and_need_not(tmp_path: Path) -> None:
    outcome = judged(tmp_path, READERS)
    assert outcome.verdict == "bounded-ok"
    assert any("rw_write_lock is lock, rw_write_unlock is unlock" in n for n in outcome.notes)


def test_who_only_tries_to_lock_is_not_taken_for_a_holder(tmp_path: Path) -> None:
    tries = """
    #include <stdatomic.h>
    struct spin { atomic_int held; };
    int spin_try_lock(struct spin *s) { return !atomic_exchange(&s->held, 1); }
    void spin_unlock(struct spin *s) { atomic_store(&s->held, 0); }
    """
    with pytest.raises(UsageError, match="no functions named like"):
        judged(tmp_path, tries)


def test_operations_belong_to_one_class(tmp_path: Path) -> None:
    """The first class has no unlock that is defined here."""
    assert judged(tmp_path, TWO_LOCKS, name="s.cc").verdict == "bounded-ok"


def test_an_initialiser_with_another_name_is_asked_for(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--functions c_prepare=init"):
        judged(tmp_path, UNNAMED)
    assert judged(tmp_path, UNNAMED, "c_prepare=init").verdict == "not-linearizable"


def test_nothing_is_said_where_no_operation_answers(tmp_path: Path) -> None:
    outcome = judged(tmp_path, "void set_add(int k) {}\nvoid set_remove(int k) {}\n")
    assert outcome.verdict == "unknown" and outcome.other_type
    assert "no operation answers anything" in outcome.reason


def test_inline_functions_that_nothing_calls_are_operations(tmp_path: Path) -> None:
    text = """
    #include <stdatomic.h>
    struct ticket { atomic_uint next, now; };
    static inline void ticket_acq(struct ticket *t) {
        unsigned mine = atomic_fetch_add(&t->next, 1);
        while (atomic_load(&t->now) != mine) {}
    }
    static inline void ticket_rel(struct ticket *t) { atomic_fetch_add(&t->now, 1); }
    """
    assert judged(tmp_path, text).verdict == "bounded-ok"


def test_a_stack_for_many_threads_is_a_stack_and_arrays_are_made(tmp_path: Path) -> None:
    text = """
    #include <mutex>
    struct MpmcStack {
        std::atomic<int> lock{0};
        int *items;
        int count = 0;
        MpmcStack(int size) : items(new int[size]) {}
        void take() { while (lock.exchange(1)) {} }
        bool push(int v) {
            take();
            bool room = count < 2;
            if (room) items[count++] = v;
            lock.store(0);
            return room;
        }
        bool pop(int &v) {
            take();
            bool some = count > 0;
            if (some) v = items[--count];
            lock.store(0);
            return some;
        }
    };
    bool use(int n) { MpmcStack s(n); int v; return s.push(1) && s.pop(v); }
    """
    outcome = judged(tmp_path, text.replace("<mutex>", "<atomic>"), name="s.cc")
    assert outcome.kind == "stack"
    assert outcome.verdict == "bounded-ok", outcome.reason


def test_a_helper_of_the_operations_is_none_of_them(tmp_path: Path) -> None:
    """`find` is a word for a lookup, too, but the insertion calls it."""
    text = """
#include <stdatomic.h>
struct set { atomic_int lock; int keys[2], count; };
static int find(struct set *s, int key) {
    for (int i = 0; i < s->count; i++) if (s->keys[i] == key) return i;
    return -1;
}
static void enter(struct set *s) { while (atomic_exchange(&s->lock, 1)); }
int set_insert(struct set *s, int key) {
    enter(s);
    int none = find(s, key) < 0;
    if (none) s->keys[s->count++] = key;
    s->lock = 0;
    return none;
}
int set_remove(struct set *s, int key) {
    enter(s);
    int at = find(s, key);
    if (at >= 0) s->keys[at] = s->keys[--s->count];
    s->lock = 0;
    return at >= 0;
}
int set_lookup(struct set *s, int key) {
    enter(s);
    int there = 0;
    for (int i = 0; i < s->count; i++) there |= s->keys[i] == key;
    s->lock = 0;
    return there;
}
"""
    path = tmp_path / "set.c"
    path.write_text(text)
    outcome = judge_source(Wanted(str(path), calls=3), Budget(100.0))
    assert (outcome.verdict, outcome.reason) == ("bounded-ok", "")
    assert "set_lookup is contains" in outcome.notes[0]


def test_other_words_where_the_name_says_stack(tmp_path: Path) -> None:
    words = {"insert": "push", "del": "pop"}
    assert by_names(["insert", "del"], ["WorkStack"], None, None) == (
        "stack", {method: name for name, method in words.items()},
    )  # fmt: skip
    assert by_names(["insert", "del"], ["WorkList"], None, None) == (
        "set", {"add": "insert", "remove": "del"},
    )  # fmt: skip


def test_what_threads_begin_with_is_no_operation(tmp_path: Path) -> None:
    """Also where its name is like one, and its type."""
    text = """
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int items[4], count;
static int try_push(int value) {
    pthread_mutex_lock(&m);
    int done = count < 4;
    if (done) items[count++] = value;
    pthread_mutex_unlock(&m);
    return done;
}
static int try_pop(int *value) {
    pthread_mutex_lock(&m);
    int done = count > 0;
    if (done) *value = items[--count];
    pthread_mutex_unlock(&m);
    return done;
}
static void *push_all(void *unused) { try_push(1); return unused; }
static void *pop_all(void *unused) { int value; try_pop(&value); return unused; }
int main(void) {
    pthread_t one, other;
    pthread_create(&one, 0, push_all, 0);
    pthread_create(&other, 0, pop_all, 0);
    return 0;
}
"""
    path = tmp_path / "pile_stack.c"
    path.write_text(text)
    outcome = judge_source(Wanted(str(path), calls=3), Budget(100.0))
    assert (outcome.verdict, outcome.reason) == ("bounded-ok", "")
    assert "try_push is push, try_pop is pop" in outcome.notes[0]
