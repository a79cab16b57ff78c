"""The program that calls the operations of a C file, made from the types of its functions.

It includes the file itself, so static functions can be called, too. Every access to memory that
clang can point out may be followed by a short sleep.
"""

from __future__ import annotations

from pathlib import Path

from heapstory.linear.ir import roles
from heapstory.linear.ir.harness import ARGUMENT, METHODS, OUT, OWN, STRUCTURE, THREAD, Harness
from heapstory.linear.ir.module import Declared

HEAD = """\
#define main heapstory_program_main
#include "{path}"
#undef main
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#pragma clang attribute push(__attribute__((no_sanitize("coverage"))), apply_to = function)

static _Thread_local unsigned hs_random;
static _Thread_local int hs_thread;
static atomic_long hs_clock;
static long hs_values[4096];
static void *hs_structure;
static int hs_delays;

/* An object that stands for a value is that value. */
static long hs_number(long given)
{{
    unsigned long at = (unsigned long)given - (unsigned long)hs_values;
    return at < sizeof hs_values && at % 8 == 0 ? (long)(at / 8) : given;
}}
static unsigned hs_next(void) {{ return (hs_random = hs_random * 1664525u + 1013904223u) >> 8; }}
static void hs_pause(void) {{ if (hs_delays && hs_next() % 16 == 0) usleep(hs_next() % 40); }}
void __sanitizer_cov_trace_pc(void) {{ hs_pause(); }}
#define HS_HOOKS(n) \\
    void __sanitizer_cov_load##n(void *p) {{ (void)p; hs_pause(); }} \\
    void __sanitizer_cov_store##n(void *p) {{ (void)p; hs_pause(); }}
HS_HOOKS(1) HS_HOOKS(2) HS_HOOKS(4) HS_HOOKS(8) HS_HOOKS(16)
"""
TAIL = """
struct hs_done { int op, thread; long argument, status, value, begin, end; };
static struct hs_done hs_log[64];
static int hs_calls, hs_seed;
static atomic_int hs_ready;

static void *hs_run(void *given)
{
    hs_thread = (int)(intptr_t)given;
    hs_random = (unsigned)(hs_seed * 64 + hs_thread) * 2654435761u + 1;
    atomic_fetch_sub(&hs_ready, 1);
    while (atomic_load(&hs_ready) > 0);
    for (int i = 0; i < hs_calls; i++) {
        struct hs_done *d = &hs_log[hs_thread * hs_calls + i];
        int op = (int)(hs_next() % HS_OPERATIONS);
        while (!hs_may(op, hs_thread)) op = (op + 1) % HS_OPERATIONS;
        long argument = HS_KEYED ? 1 + (long)(hs_next() % 2) : 11 + hs_thread * 8 + i;
        d->op = op; d->thread = hs_thread; d->argument = argument; d->end = -1;
        d->begin = atomic_fetch_add(&hs_clock, 1);
        hs_call(op, argument, &d->status, &d->value);
        d->end = atomic_fetch_add(&hs_clock, 1);
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
    hs_delays = 1;
    for (hs_seed = atoi(words[4]); hs_seed < atoi(words[5]); hs_seed++) {
        pthread_t made[8];
        hs_set_up();
        atomic_store(&hs_ready, threads);
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
    path = str(Path(harness.module.path).resolve())
    parts = [HEAD.format(path=path), _set_up(harness)]
    cases, own = [], ""
    for number, (method, function) in enumerate(harness.chosen.methods.items()):
        called, needs = _called(harness, number, method, function)
        cases.append(f"    case {number}: {called}\n        break;")
        own += needs
    parts.append(own)
    parts.append(
        "static void hs_call(int op, long argument, long *status, long *value)\n{\n"
        "    char out[16] = {0};\n    void *object = &hs_values[argument];\n"
        "    (void)object; (void)out;\n    switch (op) {\n" + "\n".join(cases) + "\n    }\n}\n"
    )
    may = "".join(
        f"    if (op == {n}) return thread == {o.role};\n"
        for n, o in enumerate(harness.operations)
        if o.role >= 0
    )
    reserved = {o.role for o in harness.operations if o.role >= 0}
    rest = " && ".join(f"thread != {role}" for role in sorted(reserved)) or "1"
    parts.append(
        f"static int hs_may(int op, int thread)\n{{\n    (void)op; (void)thread;\n{may}"
        f"    return {rest};\n}}\n"
    )
    parts.append(
        f"#define HS_OPERATIONS {len(harness.operations)}\n"
        f"#define HS_KEYED {int(harness.chosen.kind == roles.SET)}\n"
    )
    return "".join([*parts, TAIL])


def _set_up(harness: Harness) -> str:
    """The function that makes the structure."""
    maker, shared = harness.maker, harness.shared
    if shared is None:
        body = f"{maker.name}({_guessed(harness, 0)});" if maker else ""
    elif maker is None:
        body = f"hs_structure = calloc(1, {shared.pointed});"
    elif maker.types and maker.types[0].text == shared.text:
        rest = _guessed(harness, 1)
        body = f"hs_structure = calloc(1, {shared.pointed});\n    {maker.name}(hs_structure{rest});"
    elif maker.types and maker.types[0].text == f"{shared.text}*":
        body = f"{maker.name}((void *)&hs_structure{_guessed(harness, 1)});"
    else:
        body = f"hs_structure = {maker.name}({_guessed(harness, 0)});"
    return f"static void hs_set_up(void)\n{{\n    {body}\n}}\n"


def _guessed(harness: Harness, first: int) -> str:
    values = harness.guessed(first)
    text = ", ".join(map(str, values))
    return f", {text}" if first and values else text


def _called(harness: Harness, number: int, method: str, function: Declared) -> tuple[str, str]:
    """One call with its status and what it wrote; and what its threads need of their own."""
    own, out = "", 0
    given = []
    for place, each in enumerate(harness.plan(function, METHODS[harness.chosen.kind, method])):
        if each.what == STRUCTURE:
            given.append("hs_structure")
        elif each.what == THREAD:
            given.append("hs_thread")
        elif each.what == ARGUMENT:
            given.append("object" if "*" in each.kind.text else "argument")
        elif each.what == OUT:
            out = min(each.kind.pointed or 8, 8)
            given.append("(void *)out")
        elif each.what == OWN:
            name = f"hs_own_{number}_{place}"
            own += f"static _Alignas(128) char {name}[5][{each.kind.pointed}];\n"
            given.append(f"(void *){name}[hs_thread]")
        else:
            given.append(str(each.number))
    text = f"{function.name}({', '.join(given)})"
    silent = function.returns.text == "void"
    done = f"{text}; *status = 0;" if silent else f"*status = hs_number((long){text});"
    if out:
        done += f" memcpy(value, out, {out}); *value = hs_number(*value);"
        done += " *status = *value;" if silent else ""
    return done, own
