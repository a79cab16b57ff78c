"""The program that calls the operations of a C or C++ file, made from the types of its functions.

It includes the file itself, so static functions can be called, too. Every access to memory that
clang can point out may be followed by a short sleep, or by a switch to another thread. What C++
compiles has no name that C could write: it is called by its symbol.
"""

from __future__ import annotations

from heapstory.linear.ir import roles
from heapstory.linear.ir.harness import (
    ARGUMENT,
    INCREMENT,
    METHODS,
    OUT,
    OWN,
    ROOM_SIZE,
    STRUCTURE,
    THREAD,
    Harness,
)
from heapstory.linear.ir.module import Declared, Type
from heapstory.linear.ir.unit import including, is_cplusplus

HEAD = """\
#define main heapstory_program_main
{program}#undef main
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#pragma clang attribute push(__attribute__((no_sanitize("coverage"))), apply_to = function)

#ifdef __cplusplus
#define HS_C extern "C"
#else
#define HS_C
#endif

enum {{ hs_sleeps = 1, hs_switches }};
static __thread unsigned hs_random;
static __thread int hs_thread;
static long hs_clock;
static long hs_values[4096];
static void *hs_structure;
static long hs_counter;
static int hs_pauses;

/* An object that stands for a value is that value. */
static long hs_number(long given)
{{
    unsigned long at = (unsigned long)given - (unsigned long)hs_values;
    return at < sizeof hs_values && at % 8 == 0 ? (long)(at / 8) : given;
}}
static unsigned hs_next(void) {{ return (hs_random = hs_random * 1664525u + 1013904223u) >> 8; }}
static long hs_tick(void) {{ return __atomic_fetch_add(&hs_clock, 1, __ATOMIC_SEQ_CST); }}
static void hs_pause(void)
{{
    if (hs_pauses == 0 || hs_next() % (hs_pauses == hs_sleeps ? 16 : 6) != 0) return;
    if (hs_pauses == hs_sleeps) usleep(hs_next() % 40); else sched_yield();
}}
HS_C void __sanitizer_cov_trace_pc(void) {{ hs_pause(); }}
#define HS_HOOKS(n) \\
    HS_C void __sanitizer_cov_load##n(void *p) {{ (void)p; hs_pause(); }} \\
    HS_C void __sanitizer_cov_store##n(void *p) {{ (void)p; hs_pause(); }}
HS_HOOKS(1) HS_HOOKS(2) HS_HOOKS(4) HS_HOOKS(8) HS_HOOKS(16)
"""
TAIL = """
struct hs_done { int op, thread; long argument, status, value, begin, end; };
static struct hs_done hs_log[64];
static int hs_calls, hs_seed, hs_ready;

static void *hs_run(void *given)
{
    hs_thread = (int)(intptr_t)given;
    hs_random = (unsigned)(hs_seed * 64 + hs_thread) * 2654435761u + 1;
    __atomic_fetch_sub(&hs_ready, 1, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&hs_ready, __ATOMIC_SEQ_CST) > 0) sched_yield();
    for (int i = 0; i < hs_calls; i++) {
        struct hs_done *d = &hs_log[hs_thread * hs_calls + i];
        int op = (int)(hs_next() % HS_OPERATIONS);
        while (!hs_may(op, hs_thread)) op = (op + 1) % HS_OPERATIONS;
        long argument = HS_KEYED ? 1 + (long)(hs_next() % 2) : 11 + hs_thread * 8 + i;
        d->op = op; d->thread = hs_thread; d->argument = argument; d->end = -1;
        d->begin = hs_tick();
        hs_call(op, argument, &d->status, &d->value);
        d->end = hs_tick();
    }
    return 0;
}

int main(int count, char **words)
{
    for (long i = 0; i < 4096; i++) hs_values[i] = i;
    hs_thread = 4;
    if (count > 1 && strcmp(words[1], "alone") == 0) {
        hs_set_up();
        for (int i = 2; i + 1 < count; i += 2) {
            long status = 0, value = 0;
            hs_call(atoi(words[i]), atol(words[i + 1]), &status, &value);
            printf("%ld %ld\\n", status, value);
            fflush(stdout);
        }
        return 0;
    }
    int threads = atoi(words[2]);
    hs_calls = atoi(words[3]);
    hs_pauses = strcmp(words[1], "switches") == 0 ? hs_switches : hs_sleeps;
    for (hs_seed = atoi(words[4]); hs_seed < atoi(words[5]); hs_seed++) {
        pthread_t made[8];
        hs_set_up();
        hs_counter = 0;
        hs_ready = threads;
        for (int t = 0; t < threads; t++) {
            for (int i = 0; i < hs_calls; i++) hs_log[t * hs_calls + i].begin = -1;
            pthread_create(&made[t], 0, hs_run, (void *)(intptr_t)t);
        }
        for (int t = 0; t < threads; t++) pthread_join(made[t], 0);
        for (int i = 0; i < threads * hs_calls; i++) {
            struct hs_done *d = &hs_log[i];
            printf("%d %d %d %ld %ld %ld %ld %ld\\n", hs_seed, d->op, d->thread, d->argument,
                   d->status, d->value, d->begin, d->end);
        }
        fflush(stdout);
    }
    return 0;
}
#pragma clang attribute pop
"""


def driver(harness: Harness) -> str:
    """The text of the program."""
    module = harness.module
    program = module.program or including(module.path)
    calls = _Calls(harness)
    cases = "\n".join(
        f"    case {number}: {text}\n        break;"
        for number, text in enumerate(calls.operations())
    )
    set_up = calls.set_up()
    return "".join(
        [
            HEAD.format(program=program),
            *calls.declared,
            set_up,
            "static void hs_call(int op, long argument, long *status, long *value)\n{\n"
            "    char out[16] = {0};\n    void *object = &hs_values[argument];\n"
            f"    (void)object; (void)out;\n    switch (op) {{\n{cases}\n    }}\n}}\n",
            _may(harness),
            f"#define HS_OPERATIONS {len(harness.operations)}\n"
            f"#define HS_KEYED {int(harness.chosen.kind == roles.SET)}\n",
            TAIL,
        ]
    )


def _may(harness: Harness) -> str:
    """Which threads may call what."""
    may = "".join(
        f"    if (op == {n}) return thread == {o.role};\n"
        for n, o in enumerate(harness.operations)
        if o.role >= 0
    )
    reserved = {o.role for o in harness.operations if o.role >= 0}
    rest = " && ".join(f"thread != {role}" for role in sorted(reserved)) or "1"
    return (
        f"static int hs_may(int op, int thread)\n{{\n    (void)op; (void)thread;\n{may}"
        f"    return {rest};\n}}\n"
    )


class _Calls:
    """The calls of a harness as text, and what has to be declared for them."""

    def __init__(self, harness: Harness) -> None:
        self.harness = harness
        self.by_symbol = is_cplusplus(harness.module.path)
        self.declared: list[str] = []

    def set_up(self) -> str:
        """The function that makes the structure."""
        maker, shared = self.harness.maker, self.harness.shared
        room = f"hs_structure = calloc(1, {shared.pointed});" if shared else ""
        if maker is None:
            body = room
        elif shared is None:
            body = f"{self._call(maker, self._guessed(0))};"
        elif maker.types and maker.types[0].text == shared.text:
            body = f"{room}\n    {self._call(maker, ['hs_structure', *self._guessed(1)])};"
        elif maker.types and maker.types[0].text == f"{shared.text}*":
            body = f"{self._call(maker, ['(void *)&hs_structure', *self._guessed(1)])};"
        else:
            body = f"hs_structure = (void *){self._call(maker, self._guessed(0))};"
        return f"static void hs_set_up(void)\n{{\n    {body}\n}}\n"

    def operations(self) -> list[str]:
        """A statement for each operation, which sets its status and value."""
        chosen = self.harness.chosen
        if chosen.kind != roles.LOCK:
            return [self._operation(m, f) for m, f in chosen.methods.items()]
        lock, unlock = (
            self._call(chosen.methods[m], self._given(chosen.methods[m], INCREMENT)[0])
            for m in ("lock", "unlock")
        )
        section = "*status = hs_counter; hs_pause(); hs_counter = *status + 1;"
        return [f"{lock}; {section} {unlock};"]

    def _guessed(self, first: int) -> list[str]:
        room = f"(char *)calloc(1, {ROOM_SIZE})"
        return [room if g is None else str(g) for g in self.harness.guessed(first)]

    def _operation(self, method: str, function: Declared) -> str:
        """One call with its status and what it wrote."""
        given, out = self._given(function, METHODS[self.harness.chosen.kind, method])
        text = self._call(function, given)
        silent = function.returns.text == "void"
        done = f"{text}; *status = 0;" if silent else f"*status = hs_number((long){text});"
        if out:
            done += f" memcpy(value, out, {out}); *value = hs_number(*value);"
            done += " *status = *value;" if silent else ""
        return done

    def _given(self, function: Declared, method: int) -> tuple[list[str], int]:
        """What is passed, and the size of the answer that is written, if one is."""
        given, out = [], 0
        for place, each in enumerate(self.harness.plan(function, method)):
            if each.what == STRUCTURE:
                given.append("hs_structure")
            elif each.what == THREAD:
                given.append("hs_thread")
            elif each.what == ARGUMENT:
                given.append("object" if _by_address(each.kind) else "argument")
            elif each.what == OUT:
                out = min(each.kind.pointed or 8, 8)
                given.append("(void *)out")
            elif each.what == OWN:
                given.append(self._own(function, place, each.kind))
            else:
                given.append(str(each.number))
        return given, out

    def _own(self, function: Declared, place: int, kind: Type) -> str:
        """Something that each thread has one of: the same for all functions that want such."""
        name = "hs_own_" + "".join(c if c.isalnum() else "_" for c in f"{kind.text}{place}")
        text = f"static char {name}[5][{kind.pointed}] __attribute__((aligned(128)));\n"
        if text not in self.declared:
            self.declared.append(text)
        return f"(void *){name}[hs_thread]"

    def _call(self, function: Declared, given: list[str]) -> str:
        if not self.by_symbol:
            return f"{function.name}({', '.join(given)})"
        name = f"hs_f{function.symbol.strip('@').replace('.', '_')}"
        kinds = ", ".join("void *" if _by_address(kind) else "long" for kind in function.types)
        symbol = function.symbol.removeprefix("@")
        text = f'{_returned(function.returns)} {name}({kinds}) __asm__("{symbol}");\n'
        if text not in self.declared:
            self.declared.append(text)
        return f"{name}({', '.join(given)})"


def _by_address(kind: Type) -> bool:
    return "*" in kind.text or "&" in kind.text


def _returned(kind: Type) -> str:
    """A type of C that is returned in the same way."""
    if kind.text in ("void", "bool", "_Bool"):
        return kind.text.removeprefix("_").lower()
    if _by_address(kind):
        return "void *"
    sign = "unsigned " if kind.text.startswith("unsigned") else ""
    return sign + {1: "char", 2: "short", 4: "int"}.get(kind.size, "long")
