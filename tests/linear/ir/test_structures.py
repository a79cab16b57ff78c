"""Verdicts on C and C++ as they stand; each right structure has wrong ones beside it."""

from __future__ import annotations

from pathlib import Path

import pytest

from heapstory.linear.budget import Budget
from heapstory.linear.ir.abstract import most_in_order
from heapstory.linear.ir.judge import Outcome
from heapstory.linear.ir.verdict import Wanted, judge_source
from heapstory.reporters.prove.machine import covers

STACK = """
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
struct item { int value; struct item *next; };
typedef struct { struct { _Atomic(struct item *) top; } list; } pile_t;
static struct item *fresh(int value) {
    struct item *one = malloc(sizeof *one);
    one->value = value;
    return one;
}
void pile_init(pile_t *p) { atomic_init(&p->list.top, NULL); }
void pile_push(pile_t *p, int value) {
    struct item *one = fresh(value);
    struct item *top = atomic_load_explicit(&p->list.top, memory_order_relaxed);
    do one->next = top;
    while (!atomic_compare_exchange_weak_explicit(&p->list.top, &top, one,
                                                  memory_order_release, memory_order_relaxed));
}
bool pile_pop(pile_t *p, int *value) {
    struct item *top = atomic_load_explicit(&p->list.top, memory_order_acquire);
    while (top && !atomic_compare_exchange_weak_explicit(&p->list.top, &top, top->next,
                                                         memory_order_acquire,
                                                         memory_order_acquire));
    if (!top) return false;
    *value = top->value;
    return true;
}
"""
RING = """
#include <stdatomic.h>
#define SIZE 2
struct ring { _Atomic unsigned head, tail; int slots[SIZE]; };
void ring_init(struct ring *r) { atomic_init(&r->head, 0); atomic_init(&r->tail, 0); }
int ring_put(struct ring *r, int value) {
    unsigned tail = atomic_load_explicit(&r->tail, memory_order_relaxed);
    if (tail - atomic_load_explicit(&r->head, memory_order_acquire) == SIZE) return -1;
    r->slots[tail % SIZE] = value;
    atomic_store_explicit(&r->tail, tail + 1, memory_order_release);
    return 0;
}
int ring_get(struct ring *r, int *value) {
    unsigned head = atomic_load_explicit(&r->head, memory_order_relaxed);
    if (head == atomic_load_explicit(&r->tail, memory_order_acquire)) return -1;
    *value = r->slots[head % SIZE];
    atomic_store_explicit(&r->head, head + 1, memory_order_release);
    return 0;
}
"""
DEKKER = """
#include <stdatomic.h>
#define ORDER memory_order_seq_cst
struct gate { atomic_int wants[5]; atomic_int turn; };
extern int thread_id(void);
void gate_lock(struct gate *g) {
    int me = thread_id(), other = 1 - me;
    atomic_store_explicit(&g->wants[me], 1, ORDER);
    atomic_store_explicit(&g->turn, other, ORDER);
    while (atomic_load_explicit(&g->wants[other], ORDER) &&
           atomic_load_explicit(&g->turn, ORDER) == other);
}
void gate_unlock(struct gate *g) {
    atomic_store_explicit(&g->wants[thread_id()], 0, memory_order_release);
}
"""
TICKET = """
#include <stdatomic.h>
typedef struct { atomic_uint next, owner; } ticket_t;
void ticket_acquire(ticket_t *t) {
    unsigned mine = atomic_fetch_add_explicit(&t->next, 1, memory_order_relaxed);
    while (atomic_load_explicit(&t->owner, memory_order_acquire) != mine);
}
void ticket_release(ticket_t *t) {
    unsigned now = atomic_load_explicit(&t->owner, memory_order_relaxed);
    atomic_store_explicit(&t->owner, now + 1, memory_order_release);
}
"""
SET = """
#include <stdatomic.h>
#include <stdbool.h>
struct bits { atomic_uint word; };
bool bits_insert(struct bits *b, int key) {
    return !(atomic_fetch_or(&b->word, 1u << key) >> key & 1);
}
bool bits_remove(struct bits *b, int key) {
    return atomic_fetch_and(&b->word, ~(1u << key)) >> key & 1;
}
bool bits_contains(struct bits *b, int key) { return atomic_load(&b->word) >> key & 1; }
"""
MARKED = """
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
struct node { int key; atomic_int marked; _Atomic(struct node *) next; };
struct set { _Atomic(struct node *) head; };
static struct node *fresh(int key, struct node *next) {
    struct node *one = malloc(sizeof *one);
    one->key = key;
    atomic_init(&one->marked, 0);
    atomic_init(&one->next, next);
    return one;
}
void set_init(struct set *s) { atomic_init(&s->head, fresh(-1000, fresh(1000, NULL))); }
bool set_contains(struct set *s, int key) {
    struct node *c = s->head;
    while (c->key < key) c = c->next;
    return c->key == key && !c->marked;
}
bool set_add(struct set *s, int key) {
    for (;;) {
        struct node *p = s->head, *c = p->next;
        while (c->key < key) { p = c; c = c->next; }
        if (c->key == key && !c->marked) return false;
        if (atomic_compare_exchange_strong(&p->next, &c, fresh(key, c))) return true;
    }
}
bool set_remove(struct set *s, int key) {
    struct node *p = s->head, *c = p->next;
    while (c->key < key) { p = c; c = c->next; }
    int no = 0;
    if (c->key != key || !atomic_compare_exchange_strong(&c->marked, &no, 1)) return false;
    struct node *expected = c;
    atomic_compare_exchange_strong(&p->next, &expected, c->next);
    return true;
}
"""
CLASS = """
#include <atomic>
class Stack {
    struct Node { int value; Node *next; };
    std::atomic<Node *> top{nullptr};
public:
    void push(int value) {
        Node *one = new Node{value, top.load(std::memory_order_relaxed)};
        while (!top.compare_exchange_weak(one->next, one, std::memory_order_release));
    }
    bool pop(int &value) {
        Node *one = top.load(std::memory_order_acquire);
        while (one && !top.compare_exchange_weak(one, one->next, std::memory_order_acquire));
        if (one) value = one->value;
        return one != nullptr;
    }
};
void use(Stack &s) { int v; s.push(1); s.pop(v); Stack t; }
"""


def judged(
    folder: Path, text: str, *one_thread: str, name: str = "source.c", calls: int = 3
) -> Outcome:
    path = folder / name
    path.write_text(text)
    wanted = Wanted(str(path), one_thread=one_thread, calls=calls)
    return judge_source(wanted, Budget(100.0, 2_000_000))


@pytest.mark.parametrize("text", [STACK, TICKET, SET], ids=["stack", "ticket", "set"])
def test_right_structures_are_accepted(tmp_path: Path, text: str) -> None:
    outcome = judged(tmp_path, text)
    assert outcome.verdict == "bounded-ok", outcome.reason
    assert outcome.calls == 3


@pytest.mark.parametrize(
    ("text", "old", "new"),
    [
        (STACK, "memory_order_release, memory", "memory_order_relaxed, memory"),
        (STACK, "top = atomic_load_explicit(&p->list.top, memory_order_acquire)",
         "top = atomic_load_explicit(&p->list.top, memory_order_relaxed)"),
        (TICKET, "now + 1, memory_order_release", "now + 1, memory_order_relaxed"),
        (TICKET, "&t->owner, memory_order_acquire", "&t->owner, memory_order_relaxed"),
    ],
)  # fmt: skip
def test_too_weak_an_order_is_a_race(tmp_path: Path, text: str, old: str, new: str) -> None:
    assert old in text
    outcome = judged(tmp_path, text.replace(old, new))
    assert outcome.verdict == "unknown"
    assert "races" in outcome.reason
    assert outcome.history and outcome.trail


@pytest.mark.parametrize(
    ("text", "old", "new"),
    [
        (TICKET, "atomic_fetch_add_explicit(&t->next, 1, memory_order_relaxed)",
         "atomic_load_explicit(&t->next, memory_order_relaxed); t->next = mine + 1"),
        (SET, "return !(atomic_fetch_or(&b->word, 1u << key) >> key & 1);",
         "unsigned w = b->word; b->word = w | 1u << key; return !(w >> key & 1);"),
        (SET, "atomic_fetch_and(&b->word, ~(1u << key)) >> key & 1",
         "(b->word >> key & 1) && (atomic_fetch_and(&b->word, ~(1u << key)), true)"),
    ],
)  # fmt: skip
def test_wrong_structures_are_refuted(tmp_path: Path, text: str, old: str, new: str) -> None:
    assert old in text
    outcome = judged(tmp_path, text.replace(old, new))
    assert outcome.verdict == "not-linearizable" or "races" in outcome.reason, outcome.reason


def test_a_ring_is_right_for_one_producer_and_one_consumer(tmp_path: Path) -> None:
    outcome = judged(tmp_path, RING, "ring_put", "ring_get", calls=4)
    assert outcome.verdict == "bounded-ok", outcome.reason
    assert outcome.capacity == 2


def test_a_ring_for_one_producer_is_not_for_two(tmp_path: Path) -> None:
    assert judged(tmp_path, RING).verdict == "not-linearizable"


@pytest.mark.parametrize("which", ["head + 1", "tail + 1"])
def test_a_ring_whose_index_is_relaxed_has_a_race(tmp_path: Path, which: str) -> None:
    text = RING.replace(f"{which}, memory_order_release", f"{which}, memory_order_relaxed")
    assert text != RING
    outcome = judged(tmp_path, text, "ring_put", "ring_get", calls=4)
    assert outcome.verdict == "unknown"
    assert "races" in outcome.reason


def test_a_gate_that_needs_strong_order(tmp_path: Path) -> None:
    assert judged(tmp_path, DEKKER, calls=2).verdict == "bounded-ok"
    weak = DEKKER.replace("ORDER memory_order_seq_cst", "ORDER memory_order_acq_rel")
    weak = weak.replace("1, ORDER", "1, memory_order_release")
    weak = weak.replace("other, ORDER", "other, memory_order_release")
    weak = weak.replace("[other], ORDER", "[other], memory_order_acquire")
    weak = weak.replace("&g->turn, ORDER", "&g->turn, memory_order_acquire")
    outcome = judged(tmp_path, weak, calls=2)
    assert outcome.verdict in ("unknown", "not-linearizable")
    assert outcome.history


def test_threads_that_know_their_number_are_not_alike(tmp_path: Path) -> None:
    """Wrong only where the second thread comes first."""
    text = """
    #include <stdatomic.h>
    struct gate { atomic_int in[5]; };
    extern int thread_id(void);
    void gate_lock(struct gate *g) {
        int me = thread_id();
        g->in[me] = 1;
        if (me == 1) while (g->in[0]);
    }
    void gate_unlock(struct gate *g) { g->in[thread_id()] = 0; }
    """
    outcome = judged(tmp_path, text, calls=2)
    assert outcome.verdict == "unknown" and "races" in outcome.reason
    assert outcome.history


def test_a_loop_that_nobody_can_end_is_not_accepted(tmp_path: Path) -> None:
    text = TICKET.replace(
        "unsigned mine =", "for (volatile int i = 0; i < 9; i -= 1); unsigned mine ="
    )
    assert judged(tmp_path, text, calls=2).verdict == "unknown"


def test_classes_with_atomic_members(tmp_path: Path) -> None:
    outcome = judged(tmp_path, CLASS, name="source.cc")
    assert outcome.verdict == "bounded-ok", outcome.reason
    wrong = CLASS.replace("one, std::memory_order_release", "one, std::memory_order_relaxed")
    assert "races" in judged(tmp_path, wrong, name="source.cc").reason


def test_freed_memory_that_others_use_is_found(tmp_path: Path) -> None:
    text = STACK.replace("*value = top->value;", "*value = top->value; free(top);")
    outcome = judged(tmp_path, text)
    assert outcome.verdict == "unknown" and "uses freed memory" in outcome.reason


def test_what_is_not_in_the_file_is_said(tmp_path: Path) -> None:
    text = "int helper(int);\n" + SET.replace("1u << key)) >>", "1u << helper(key))) >>")
    outcome = judged(tmp_path, text)
    assert outcome.verdict == "unknown"
    assert "'helper', which is not in the file" in outcome.reason


def test_functions_that_do_not_behave_like_the_type_are_not_judged(tmp_path: Path) -> None:
    text = STACK.replace("pile", "queue").replace("push", "enqueue").replace("pop", "dequeue")
    outcome = judged(tmp_path, text)
    assert outcome.verdict == "unknown"
    assert "do not behave like those of a queue" in outcome.reason


def test_a_set_that_links_behind_a_marked_node_is_refuted(tmp_path: Path) -> None:
    """The mark is a field of its own: an insertion behind a node that goes is lost."""
    outcome = judged(tmp_path, MARKED, calls=4)
    assert outcome.verdict == "not-linearizable", outcome.reason


def test_a_walk_past_marks_is_never_proved_from_an_extracted_specification(tmp_path: Path) -> None:
    from heapstory.linear.c.extract import extract

    path = tmp_path / "marked.c"
    walk = "c->key < key || c->marked) c = c->next;"
    path.write_text(MARKED.replace("c->key < key) c = c->next;", walk))
    functions = "set_contains=contains,set_add=add,set_remove=remove"
    assert extract(str(path), None, functions, "set").spec is None


TRIES = """
#include <stdatomic.h>
#include <stdlib.h>
struct item { int value; struct item *next; };
struct pile { _Atomic(struct item *) top; };
int pile_try_push(struct pile *p, int value) {
    struct item *one = malloc(sizeof *one);
    one->value = value;
    one->next = atomic_load(&p->top);
    return atomic_compare_exchange_strong(&p->top, &one->next, one) ? 0 : -2;
}
int pile_try_pop(struct pile *p, int *value) {
    struct item *top = atomic_load(&p->top);
    if (!top) return -1;
    *value = top->value;
    return atomic_compare_exchange_strong(&p->top, &top, top->next) ? 0 : -2;
}
"""


def test_an_answer_that_says_try_again_is_known_to_all_searches(tmp_path: Path) -> None:
    """Those that were begun before it was learned are made again."""
    found = judged(tmp_path, TRIES)
    assert (found.verdict, found.reason) == ("bounded-ok", "")
    assert found.covered == {2: 3, 3: 3}


LENT = """
#include <stdatomic.h>
#include <stdbool.h>
struct ring { int *slots; unsigned size; atomic_uint head, tail; };
void ring_ctor(struct ring *r, int slots[], unsigned size) {
    r->slots = slots;
    r->size = size;
    atomic_init(&r->head, 0);
    atomic_init(&r->tail, 0);
}
bool ring_put(struct ring *r, int value) {
    unsigned tail = atomic_load(&r->tail);
    if (tail - atomic_load(&r->head) == r->size) return false;
    r->slots[tail % r->size] = value;
    atomic_store(&r->tail, tail + 1);
    return true;
}
bool ring_get(struct ring *r, int *value) {
    unsigned head = atomic_load(&r->head);
    if (head == atomic_load(&r->tail)) return false;
    *value = r->slots[head % r->size];
    atomic_store(&r->head, head + 1);
    return true;
}
"""


def test_memory_that_the_initialiser_is_lent(tmp_path: Path) -> None:
    found = judged(tmp_path, LENT, "ring_put", "ring_get")
    assert (found.verdict, found.capacity) == ("bounded-ok", 2)


TEMPLATE = """
#include <atomic>
template <typename T> class Cells {
    std::atomic<T> *cells;
    unsigned room;
  public:
    explicit Cells(unsigned size) : cells(new std::atomic<T>[1]), room(size) { cells[0] = 0; }
    void write(T &&value) { if (room == 2) cells[0].store(value); }
    T read() { return cells[0].load(); }
};
template class Cells<int>;
"""


def test_the_constructor_of_a_template_and_rvalues(tmp_path: Path) -> None:
    found = judged(tmp_path, TEMPLATE, name="cells.cc")
    assert (found.verdict, found.reason) == ("bounded-ok", "")


UNCHECKED = STACK.replace(
    """    do one->next = top;
    while (!atomic_compare_exchange_weak_explicit(&p->list.top, &top, one,
                                                  memory_order_release, memory_order_relaxed));
""",
    """    one->next = top;
    atomic_store_explicit(&p->list.top, one, memory_order_release);
""",
)


def test_the_abstract_state_along_a_history(tmp_path: Path) -> None:
    """By a stack of its own: each state comes from the one before by what the call answered."""
    found = judged(tmp_path, UNCHECKED, calls=4)
    assert found.verdict == "not-linearizable"
    order = most_in_order(found)
    assert 0 < len(order) < len(found.history)
    state: list[int] = []
    for number, shown in order:
        call = found.history[number - 1]
        if found.operations[call.operation].name == "pile_push":
            state.append(call.argument)
        elif call.answered and state:
            assert state.pop() == call.answer
        elif state:
            state.pop()
        assert shown == str(state)


OVERLOADED = """
#include <atomic>
#include <optional>
template <typename T> class Pile {
    struct Item {
        T value;
        Item *next;
        Item() : value(0), next(nullptr) {}
    };
    Item first;
    std::atomic<Item *> top;
  public:
    Pile() : top(&first) {}
    void push(const T &value) {
        Item *one = new Item;
        one->value = value;
        one->next = top.load();
        while (!top.compare_exchange_weak(one->next, one)) ;
    }
    bool pop(T &value) {
        Item *one = top.load();
        do { if (one == &first) return false; } while (!top.compare_exchange_weak(one, one->next));
        value = one->value;
        return true;
    }
    std::optional<T> pop() {
        T value;
        return pop(value) ? std::optional<T>(value) : std::nullopt;
    }
};
template class Pile<int>;
"""


def test_constructors_with_two_names_and_overloads(tmp_path: Path) -> None:
    """What is instantiated explicitly has constructors that are aliases of others."""
    path = tmp_path / "pile.cc"
    path.write_text(OVERLOADED)
    wanted = Wanted(str(path), ("-std=c++17",), calls=3)
    found = judge_source(wanted, Budget(100.0, 2_000_000))
    assert (found.verdict, found.reason) == ("bounded-ok", "")


CUT_OFF = """
#include <stdatomic.h>
#include <stdint.h>
static _Atomic uint8_t n;
void write(int v) { atomic_store(&n, v); }
int read(void) { return atomic_load(&n); }
"""
HALVES = """
#include <stdatomic.h>
static _Atomic unsigned low, high;
void write(long v) { atomic_store(&low, v); atomic_store(&high, v >> 32); }
long read(void) { unsigned long h = atomic_load(&high); return h << 32 | atomic_load(&low); }
"""
NUMBERS = """
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int next[128], head = 127, tail = 127;
void enqueue(int v) {
    pthread_mutex_lock(&lock);
    next[tail] = v, tail = v;
    pthread_mutex_unlock(&lock);
}
int dequeue(void) {
    pthread_mutex_lock(&lock);
    int found = head == tail ? -1 : (head = next[head]);
    pthread_mutex_unlock(&lock);
    return found;
}
"""


def test_a_value_that_is_cut_off_is_not_accepted(tmp_path: Path) -> None:
    outcome = judged(tmp_path, CUT_OFF)
    assert outcome.verdict == "unknown" and outcome.other_type
    assert judged(tmp_path, CUT_OFF.replace("uint8_t", "int")).verdict == "bounded-ok"


def test_a_value_of_two_halves_is_refuted(tmp_path: Path) -> None:
    outcome = judged(tmp_path, HALVES)
    assert outcome.verdict == "not-linearizable"


def test_values_that_are_indices_are_small_and_that_is_said(tmp_path: Path) -> None:
    outcome = judged(tmp_path, NUMBERS)
    assert outcome.verdict == "bounded-ok", outcome.reason
    assert "values below 128" in covers(outcome)


def test_the_keys_of_a_set_are_in_its_bound(tmp_path: Path) -> None:
    assert "keys 1 to 2" in covers(judged(tmp_path, SET, calls=2))
