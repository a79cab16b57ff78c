"""Random C programs that build, change and free linked structures and print their own truth.

A program is a list of operations, each a few C statements. It speaks through write(2) from the
stack alone, so that what it says leaves no mark in the recorded heap; after every operation it
advances the global ``step``, whose history gives the timestamps at which model and trace are
compared.
"""

from __future__ import annotations

from collections.abc import Iterator

from hypothesis import strategies as st

from tests.support.naive import Alloc, Event, Free, Global, Range, Realloc, Store

HANDLES = 6
VECTOR = HANDLES  # the handle of the array that is reallocated

PRELUDE = r"""
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct item {
    struct item *next, *prev;
    long number;
    int count;
    short small;
    char letter;
    char name[17];
    struct item *child;
};

struct item *head, *tail;
struct item *table[4];
long total = 41;
long step;

#define BARRIER() __asm__ volatile("" ::: "memory")

static char *put(char *at, unsigned long value) {
    for (int shift = 60; shift >= 0; shift -= 4)
        *at++ = "0123456789abcdef"[value >> shift & 15];
    *at++ = ' ';
    return at;
}

/* One line: a letter, numbers in hexadecimal, then bytes. */
static void say(char what, unsigned long a, unsigned long b, unsigned long c, const void *data,
                size_t size) {
    char line[2048], *at = line;
    *at++ = what;
    *at++ = ' ';
    at = put(put(put(at, a), b), c);
    *at++ = '.';
    for (size_t i = 0; i < size; i++) {
        unsigned char byte = ((const unsigned char *)data)[i];
        *at++ = "0123456789abcdef"[byte >> 4];
        *at++ = "0123456789abcdef"[byte & 15];
    }
    *at++ = '\n';
    if (write(1, line, at - line) < 0)
        _exit(9);
}

#define SET(where, value)                                                                          \
    do {                                                                                           \
        (where) = (value);                                                                         \
        BARRIER();                                                                                 \
        say('S', (unsigned long)&(where), 0, 0, (const void *)&(where), sizeof(where));            \
    } while (0)
#define COPIED(where, size) say('C', (unsigned long)(where), 0, 0, (where), (size))
#define STEP()                                                                                     \
    do {                                                                                           \
        step++;                                                                                    \
        BARRIER();                                                                                 \
        say('S', (unsigned long)&step, 0, 0, (const void *)&step, sizeof step);                    \
    } while (0)
#define VARIABLE(name) say('G', (unsigned long)&name, 0, 0, (const void *)&name, sizeof name)

static void *made(void *block, size_t size, int zeroed) {
    say('A', (unsigned long)block, size, zeroed, "", 0);
    return block;
}

static void gone(void *block) {
    say('F', (unsigned long)block, 0, 0, "", 0);
    free(block);
}

static void **grown(void **vector, size_t old, size_t size) {
    unsigned long was = (unsigned long)vector;
    void **now = realloc(vector, size);
    say('R', was, (unsigned long)now, size, now, old < size ? old : size);
    return now;
}

int main(void) {
    struct item *volatile p[6] = {0};
    void **volatile vector = NULL;
    volatile size_t n;
    char *(*volatile copy_text)(char *, const char *) = strcpy; /* a call, not a few stores */
    VARIABLE(head);
    VARIABLE(tail);
    VARIABLE(table);
    VARIABLE(total);
    VARIABLE(step);
"""

FIELDS = ("next", "prev", "child")
NUMBERS = {"number": 64, "count": 32, "small": 16, "letter": 8}


class Writer:
    """Turns operations into C, keeping track of which handles hold a block."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.held = [False] * HANDLES
        self.vector = 0

    def add(self, operation: tuple[str, int, int, int]) -> None:
        name, a, b, c = operation
        statements = getattr(self, name)(a % HANDLES, b, c)
        if statements:
            self.lines.append(f"    {{ {statements} STEP(); }}")

    def allocate(self, a: int, b: int, c: int) -> str:
        if self.held[a]:
            return ""
        self.held[a] = True
        if b % 2:
            return f"p[{a}] = made(calloc(1, sizeof(struct item)), sizeof(struct item), 1);"
        return f"p[{a}] = made(malloc(sizeof(struct item)), sizeof(struct item), 0);"

    def free(self, a: int, b: int, c: int) -> str:
        if not self.held[a]:
            return ""
        self.held[a] = False
        return f"gone(p[{a}]); p[{a}] = NULL;"

    def link(self, a: int, b: int, c: int) -> str:
        return f"SET(p[{a}]->{FIELDS[c % 3]}, p[{b % HANDLES}]);" if self.held[a] else ""

    def link_inside(self, a: int, b: int, c: int) -> str:
        target = b % HANDLES
        if not (self.held[a] and self.held[target]):
            return ""
        return f"SET(p[{a}]->{FIELDS[c % 3]}, (struct item *)&p[{target}]->child);"

    def number(self, a: int, b: int, c: int) -> str:
        if not self.held[a]:
            return ""
        field, bits = list(NUMBERS.items())[c % 4]
        return f"SET(p[{a}]->{field}, {b % (1 << bits - 1)});"

    def variable(self, a: int, b: int, c: int) -> str:
        where = ("head", "tail", f"table[{b % 4}]")[c % 3]
        return f"SET({where}, p[{a}]);"

    def count(self, a: int, b: int, c: int) -> str:
        return f"SET(total, {b % 3});"

    def copy(self, a: int, b: int, c: int) -> str:
        source = b % HANDLES
        if not (self.held[a] and self.held[source]) or a == source:
            return ""
        size = "sizeof(struct item)" if c % 2 else str(1 + c % 40)
        return f"n = {size}; memcpy(p[{a}], p[{source}], n); COPIED(p[{a}], n);"

    def fill(self, a: int, b: int, c: int) -> str:
        if not self.held[a]:
            return ""
        return f"n = {1 + c % 56}; memset(p[{a}], {b % 2}, n); COPIED(p[{a}], n);"

    def text(self, a: int, b: int, c: int) -> str:
        if not self.held[a]:
            return ""
        return f'copy_text(p[{a}]->name, "{"x" * (c % 16)}"); COPIED(p[{a}]->name, {c % 16 + 1});'

    def grow(self, a: int, b: int, c: int) -> str:
        size = 8 * (1 + b % 40)
        old, self.vector = self.vector, size
        if old == 0:
            return f"vector = made(malloc({size}), {size}, 0);"
        return f"vector = grown(vector, {old}, {size});"

    def slot(self, a: int, b: int, c: int) -> str:
        return f"SET(vector[{b % (self.vector // 8)}], p[{a}]);" if self.vector else ""

    def drop(self, a: int, b: int, c: int) -> str:
        if not self.vector:
            return ""
        self.vector = 0
        return "gone(vector); vector = NULL;"


OPERATIONS = [
    name for name in vars(Writer) if not name.startswith("_") and name not in ("add", "lines")
]


def write_program(operations: list[tuple[str, int, int, int]]) -> str:
    """The C source of a list of operations."""
    writer = Writer()
    for operation in operations:
        writer.add(operation)
    return PRELUDE + "\n".join(writer.lines) + "\n    return 0;\n}\n"


def programs(least: int = 5, most: int = 120) -> st.SearchStrategy[str]:
    """Random programs; allocations and links are more likely than the rest."""
    names = st.sampled_from(["allocate", "allocate", "link", "link", *OPERATIONS])
    small = st.integers(0, 2**20)
    operation = st.tuples(names, small, small, small)
    return st.lists(operation, min_size=least, max_size=most).map(write_program)


def read_truth(output: str) -> list[Event]:
    """The events a program printed."""
    names = iter(("head", "tail", "table", "total", "step"))
    events: list[Event] = []
    for line in output.splitlines():
        head, _, tail = line.partition(".")
        what, *words = head.split()
        a, b, c = (int(word, 16) for word in words)
        data = bytes.fromhex(tail)
        events.append(_event(what, a, b, c, data, names))
    return events


def _event(what: str, a: int, b: int, c: int, data: bytes, names: Iterator[str]) -> Event:
    match what:
        case "G":
            return Global(a, data, next(names))
        case "A":
            return Alloc(a, b, bool(c))
        case "F":
            return Free(a)
        case "R":
            return Realloc(a, b, c, data)
        case "S":
            return Store(a, data)
        case _:
            return Range(a, data)
