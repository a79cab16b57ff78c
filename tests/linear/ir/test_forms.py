"""Forms in which programs are written: registering threads, structures as values, barriers in
assembly, memory of any size. Each right program has a wrong one beside it."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from heapstory.linear.budget import Budget
from heapstory.linear.ir.judge import Outcome
from heapstory.linear.ir.roles import few_said
from heapstory.linear.ir.unit import OWN_HEADERS
from heapstory.linear.ir.verdict import Wanted, judge_source
from heapstory.reporters.prove.machine import covers

PROGRAMS = Path(__file__).parent / "programs"
RACE = "unknown", "races with another access"
WRONG = "not-linearizable", ""
LOCKS = re.compile(r"pthread_mutex_(un)?lock")


def judged(folder: Path, name: str, text: str, calls: int = 3) -> Outcome:
    path = folder / name
    path.write_text(text)
    return judge_source(Wanted(str(path), calls=calls), Budget(100.0, 2_000_000))


@pytest.mark.parametrize(
    ("name", "right", "wrong", "expected"),
    [
        ("registers.c", "atomic_compare_exchange_strong(&s->top, &old, old->next)",
         "(atomic_store(&s->top, old->next), 1)", WRONG),
        ("handles.c", "while (atomic_exchange(&q->lock, 1))", "while (0)", RACE),
        ("any_size.c", LOCKS, "(void)", RACE),
        ("names_compared.c", LOCKS, "(void)", RACE),
        ("loose_atomics.c", "!atomic_compare_exchange_weak(&l->held, &zero, 1)",
         "atomic_load(&l->held) || (atomic_store(&l->held, 1), 0)", RACE),
        ("spsc_front.hpp", "write_.store(next, std::memory_order_release)",
         "write_.store(next, std::memory_order_relaxed)", RACE),
        ("structures.c", LOCKS, "(void)", RACE),
        ("keys_of_threads.c", LOCKS, "(void)", RACE),
        ("wide_exchange.c", "__sync_bool_compare_and_swap(p, o, n)",
         "(__atomic_store_n(p, n, __ATOMIC_SEQ_CST), true)", WRONG),
        ("tries_to_lock.c", "atomic_compare_exchange_strong(&s->held, &no, 1)",
         "atomic_load(&s->held) == no && (atomic_store(&s->held, 1), 1)", RACE),
        ("ticket_given_back.c", "atomic_fetch_add(&s->next, 1)",
         "atomic_load(&s->next); atomic_store(&s->next, me + 1)", RACE),
        ("barriers.c", 'BARRIER __asm__ __volatile__("mfence" ::: "memory")',
         'BARRIER __asm__ __volatile__("" ::: "memory")', RACE),
        ("futex.c", "!atomic_compare_exchange_strong(&s->word, &none, 1)",
         "atomic_load(&s->word) || (atomic_store(&s->word, 1), 0)", RACE),
        ("growing.c", LOCKS, "(void)", RACE),
        ("waits_by_exchange.c", "memory_order_release", "memory_order_relaxed", RACE),
        ("asm_lock.c", '__asm__ __volatile__("" ::: "memory")', "(void)0", RACE),
        ("asm_lock.c", "while (got)", "while (0)", RACE),
        ("asm_ticket.c", '"lock; xaddl', '"xaddl', ("unknown", "cannot be modelled: assembly")),
        ("asm_stack.c", "while (!exchange(&s->top, one, one->next))",
         "while (s->top = one->next, 0)", WRONG),
        ("containers.hpp", "std::lock_guard<std::mutex> guard(mutex_);", "", RACE),
        ("spsc_cached.hpp", "tail_.store(tail + 1, std::memory_order_release)",
         "tail_.store(tail + 1, std::memory_order_relaxed)", RACE),
        ("said_in_words.hpp", "a single producer", "many producers", WRONG),
        ("slot_of_lock.c", "while (!atomic_load(&s->open[*slot]))", "while (0)", RACE),
        ("counted_waits.c", "memory_order_release", "memory_order_relaxed", RACE),
        ("recursive_lock.c", "PTHREAD_MUTEX_RECURSIVE", "PTHREAD_MUTEX_NORMAL",
         ("unknown", "the locking of a mutex that its thread holds")),
        ("recursive_lock.c", "int none = s->top == NULL;",
         "int none = s->top == NULL; pthread_mutex_unlock(&s->mutex);",
         ("unknown", "the unlocking of a mutex that its thread does not hold")),
        ("recursive_lock.hpp", "std::recursive_mutex", "std::mutex",
         ("unknown", "the locking of a mutex that its thread holds")),
        ("recursive_lock.hpp", re.compile(r"std::lock_guard.*guard\(mutex_\);"), "", RACE),
    ],
)  # fmt: skip
def test_right_and_wrong(
    tmp_path: Path, name: str, right: str | re.Pattern[str], wrong: str, expected: tuple[str, str]
) -> None:
    text = (PROGRAMS / name).read_text()
    accepted = judged(tmp_path, name, text)
    assert (accepted.verdict, accepted.reason, accepted.calls) == ("bounded-ok", "", 3)
    pattern = right if isinstance(right, re.Pattern) else re.compile(re.escape(right))
    changed, count = pattern.subn(wrong, text)
    assert count > 0
    refused = judged(tmp_path, name, changed)
    assert refused.verdict == expected[0]
    assert expected[1] in refused.reason


def test_containers_do_what_the_library_does(tmp_path: Path) -> None:
    """Compiled and run beside plain vectors, with what takes the library's place."""
    program = tmp_path / "alike"
    found = shutil.which("clang++") or "g++"
    source = PROGRAMS / "containers_alike.cpp"
    subprocess.run([found, "-std=c++17", f"-I{OWN_HEADERS}", source, "-o", program], check=True)
    done = subprocess.run([program], capture_output=True, text=True, check=True)
    assert done.stdout == "2000 rounds alike\n"


def test_files_that_the_initialiser_needs_are_read(tmp_path: Path) -> None:
    """Also where they are included as if they were the system's."""
    for name in ("beside_inner.h", "beside_inner.c"):
        shutil.copy(PROGRAMS / name, tmp_path)
    outcome = judged(tmp_path, "outer.c", (PROGRAMS / "beside_outer.c").read_text())
    assert (outcome.verdict, outcome.calls) == ("bounded-ok", 3)
    assert "outer_new() makes the initial state" in outcome.notes


def test_who_calls_what_is_said_in_words() -> None:
    assert few_said("/* for one producer and\n * one consumer */") == "spsc"
    assert few_said("// Multi-producer, single-consumer queue") == "mpsc"
    assert few_said("an SPSC queue; see mpmc.h for MPMC") == ""
    assert few_said("class Spscq { int one; };") == ""


def test_what_was_guessed_is_said(tmp_path: Path) -> None:
    notes = judged(tmp_path, "r.c", (PROGRAMS / "registers.c").read_text(), calls=2).notes
    assert "each thread calls hp_register before its first call" in notes
    notes = judged(tmp_path, "a.c", (PROGRAMS / "any_size.c").read_text(), calls=2).notes
    assert "ring_create(elem_size = 8, capacity = 2) makes the initial state" in notes
    notes = judged(tmp_path, "t.c", (PROGRAMS / "tries_to_lock.c").read_text(), calls=2).notes
    assert any("it is taken not to hold it" in note for note in notes)
    bare = (PROGRAMS / "handles.c").read_text().replace("queue_register", "queue_elsewhere")
    notes = judged(tmp_path, "h.c", bare.replace("h->seen != 7", "h->seen != 0"), calls=2).notes
    assert "each thread's struct handle * is taken to be all 0" in notes


ENDS = """
#include <stdatomic.h>
#include <stdlib.h>
struct c { atomic_int busy, n; };
int c_increment(struct c *x) {
    if (atomic_exchange(&x->busy, 1)) exit(1);
    int old = atomic_fetch_add(&x->n, 1);
    atomic_store(&x->busy, 0);
    return old;
}
int c_read(struct c *x) { return atomic_load(&x->n); }
"""
TIMED = """
#include <stdatomic.h>
#include <time.h>
struct c { atomic_int n; };
int c_increment(struct c *x) {
    if (time(NULL)) return atomic_fetch_add(&x->n, 1);
    int old = atomic_load(&x->n);
    atomic_store(&x->n, old + 1);
    return old;
}
int c_read(struct c *x) { return atomic_load(&x->n); }
"""
FINDS_ALL = """
#include <stdatomic.h>
#include <stdbool.h>
struct bits { atomic_uint word; };
bool bits_insert(struct bits *b, int k) { return !(atomic_fetch_or(&b->word, 1u << k) >> k & 1); }
bool bits_remove(struct bits *b, int k) { return atomic_fetch_and(&b->word, ~(1u << k)) >> k & 1; }
bool bits_contains(struct bits *b, int k) { return atomic_load(&b->word) != 0 || k; }
"""
BY_VALUE = """
#include <stdatomic.h>
struct counter { atomic_int n; int step, more[8]; };
struct counter counter_create(void) { struct counter c = {.step = 1}; return c; }
int counter_increment(struct counter *c) { return atomic_fetch_add(&c->n, c->step); }
int counter_read(struct counter *c) { return atomic_load(&c->n); }
"""


def test_who_ends_the_program_has_failed(tmp_path: Path) -> None:
    outcome = judged(tmp_path, "ends.c", ENDS)
    assert outcome.verdict == "unknown"
    assert "ends the program in some histories" in outcome.reason


def test_a_clock_may_give_any_time_so_it_refutes_nothing(tmp_path: Path) -> None:
    outcome = judged(tmp_path, "timed.c", TIMED)
    assert outcome.verdict == "unknown"
    assert "time may give any time" in outcome.reason
    always = judged(tmp_path, "timed.c", TIMED.replace("if (time(NULL))", "time(NULL); if (1)"))
    assert always.verdict == "bounded-ok"
    assert always.varied == ["time"]


def test_a_lookup_that_always_answers_alike_is_no_set(tmp_path: Path) -> None:
    outcome = judged(tmp_path, "bits.c", FINDS_ALL)
    assert outcome.verdict == "unknown" and outcome.other_type
    assert "answers 1 with and without the key" in outcome.reason


def test_an_initial_state_that_is_returned_is_not_taken_to_be_all_zero(tmp_path: Path) -> None:
    from heapstory.errors import UsageError

    with pytest.raises(UsageError, match="'counter_create' returns the initial state"):
        judged(tmp_path, "counter.c", BY_VALUE)


def test_what_fails_without_a_cause_is_no_answer_of_calls_in_a_row(tmp_path: Path) -> None:
    """One after the other they are a set, so the refusal comes from threads."""
    outcome = judged(tmp_path, "bits.c", (PROGRAMS / "attempts.c").read_text(), calls=2)
    assert "do not behave like" not in outcome.reason
    assert outcome.verdict == "not-linearizable"


def test_files_that_define_what_is_called_are_read(tmp_path: Path) -> None:
    """Beside the file, with the same header, whatever they are called."""
    header = "#pragma once\n#include <stdatomic.h>\nvoid settle(atomic_int *held);\n"
    (tmp_path / "gate.h").write_text(header)
    (tmp_path / "settled.c").write_text(
        '#include "gate.h"\nvoid settle(atomic_int *held) { atomic_store(held, 0); }\n'
    )
    (tmp_path / "other.c").write_text('#include "gate.h"\nint gate_count(void) { return 1; }\n')
    gate = (
        '#include "gate.h"\nstruct gate { atomic_int held; };\n'
        "void gate_lock(struct gate *g) { while (atomic_exchange(&g->held, 1)) {} }\n"
        "void gate_unlock(struct gate *g) { settle(&g->held); }\n"
    )
    assert judged(tmp_path, "spin.c", gate).verdict == "bounded-ok"


def test_how_often_threads_wait_is_said(tmp_path: Path) -> None:
    counted = judged(tmp_path, "q.c", (PROGRAMS / "counted_waits.c").read_text())
    assert "waits that see nothing new up to 16 rounds" in covers(counted)
    plain = judged(tmp_path, "l.c", (PROGRAMS / "waits_by_exchange.c").read_text())
    assert "rounds" not in covers(plain)


def test_what_takes_more_rounds_is_not_covered(tmp_path: Path) -> None:
    """A call that gives up after so many: its answer is only seen if it comes soon enough."""
    text = """
#include <stdatomic.h>
static atomic_int held, value;
int increment(void) {
    for (int n = 0; atomic_exchange(&held, 1); n++)
        if (n == MOST) return -5;
    int old = atomic_load(&value);
    atomic_store(&value, old + 1);
    atomic_store(&held, 0);
    return old;
}
int read(void) { return atomic_load(&value); }
"""
    soon = judged(tmp_path, "soon.c", text.replace("MOST", "4"))
    assert soon.verdict == "not-linearizable"
    late = judged(tmp_path, "late.c", text.replace("MOST", "40"))
    assert late.verdict == "bounded-ok"
    assert "waits that see nothing new up to 16 rounds" in covers(late)
    drawn = judge_source(Wanted(str(tmp_path / "late.c")), Budget(60.0))
    assert drawn.verdict == "not-linearizable"  # random histories go on for longer


def test_a_loop_that_writes_does_not_wait(tmp_path: Path) -> None:
    """However often it reads the same."""
    text = """
#include <pthread.h>
#include <stdatomic.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static atomic_int stop;
static int value, steps[4];
int increment(void) {
    pthread_mutex_lock(&m);
    for (int n = 0; n < 40 && !atomic_load(&stop); n++)
        WRITE;
    int old = value++;
    pthread_mutex_unlock(&m);
    return old;
}
int read(void) {
    pthread_mutex_lock(&m);
    int found = value;
    pthread_mutex_unlock(&m);
    return found;
}
"""
    writes = judged(tmp_path, "writes.c", text.replace("WRITE", "steps[n % 4] = n"))
    assert (writes.verdict, writes.reason, writes.calls) == ("bounded-ok", "", 3)
    assert "rounds" not in covers(writes)
    waits = judged(tmp_path, "waits.c", text.replace("WRITE", ""))
    assert (waits.verdict, waits.reason) != ("bounded-ok", "") or "rounds" in covers(waits)
