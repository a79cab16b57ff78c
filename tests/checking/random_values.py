"""Programs that compute with partly defined memory, at random.

Each decision is a line of its own and is counted. Given a number, a program fills the memory that
it leaves undefined with random bytes and prints the counts: a decision depends on undefined memory
if its count is not the same for all numbers.
"""

from __future__ import annotations

import random

_TYPES = {1: "uint8_t", 2: "uint16_t", 4: "uint32_t", 8: "uint64_t"}
_HEAD = """#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
volatile int sink, hit[3000];
volatile uint8_t table[256];
static int seed;
struct fields { unsigned a : 3, b : 7, c : 11, d : 11; };
static void *get(size_t n) {
    unsigned char *p = malloc(n);
    for (size_t i = 0; seed && i < n; i++)
        p[i] = rand() >> 7;
    return p;
}
"""
_TAIL = """    for (int i = 0; argc > 1 && i < 3000; i++)
        printf("%d ", hit[i]);
    return 0;
}
"""
FUNCTIONS = 10


def source(number: int) -> str:
    """The program with this number."""
    chance = random.Random(number)
    functions = "".join(_function(chance, i) for i in range(FUNCTIONS))
    calls = "".join(f"    f{i}();\n" for i in range(FUNCTIONS))
    start = "int main(int argc, char **argv) {\n    if (argc > 1)\n"
    return f"{_HEAD}{functions}{start}        srand(seed = atoi(argv[1]));\n{calls}{_TAIL}"


def _function(chance: random.Random, number: int) -> str:
    size = chance.choice([16, 24, 40, 64])
    lines = [
        f"__attribute__((noinline)) void f{number}(void) {{",
        f"    uint8_t *p = get({size}), *q = get({size}), local[{size}];",
        "    struct fields *fields = get(4);",
        "    uint64_t v0 = 1, v1 = 2, v2 = 3, v3 = 4;",
        f"    memset(local, 1, {size});",
    ]
    for i in range(size):
        if chance.random() < 0.6:
            lines.append(f"    p[{i}] = {chance.randrange(256)}, q[{i}] = {chance.randrange(256)};")
    lines += [f"    {_statement(chance, size)}" for _ in range(chance.randint(10, 25))]
    lines += [
        "    if (v0 & 1) hit[__LINE__]++;",
        "    if (local[3] == 9) hit[__LINE__]++;",
    ]
    return "\n".join([*lines, "    free(p), free(q), free(fields);", "}", ""])


def _statement(chance: random.Random, size: int) -> str:
    width = chance.choice(list(_TYPES))
    wide, signed = _TYPES[width], _TYPES[width][1:]
    at = chance.randrange(size - 8)
    at -= at % width if chance.random() < 0.8 else 0
    one, other, block = (
        f"v{chance.randrange(4)}",
        f"v{chance.randrange(4)}",
        chance.choice("pq"),
    )
    number = chance.choice([other, str(chance.randrange(200))])
    mask = chance.choice([0xFF, 0xFF00, 0xF0F0F0F0, 1, 0x80, chance.getrandbits(64)])
    order, shift = (
        chance.choice(["<", ">", "==", "!=", "<="]),
        chance.choice(["<<", ">>"]),
    )
    return chance.choice(
        [
            *[f"{one} = *({wide} *)({block} + {at});"] * 4,
            f"*({wide} *)({block} + {at}) = ({wide}){other};",
            f"{one} = {one} {chance.choice('+-*^&|')} {other};",
            f"{one} = ({wide}){other} {shift} {chance.randrange(8 * width)};",
            f"{one} &= {mask:#x}ull;",
            f"memcpy(q + {chance.randrange(size - 8)}, p + {at}, {chance.randrange(1, 8)});",
            f"if (({wide}){one} {order} ({wide}){number}) hit[__LINE__]++;",
            f"if (({signed}){one} {order} {chance.choice([0, 5, -1])}) hit[__LINE__]++;",
            f"fields->{chance.choice('abcd')} = {one}; {other} = fields->{chance.choice('abcd')};",
            f"memcpy(local, {block}, {size}); {one} = local[{chance.randrange(size)}];",
            f"sink += table[(uint8_t){one}];",
            f"for (int i = 0; i < {size}; i++) local[i] = {block}[i] {chance.choice('+^&')} "
            f"{chance.randrange(256)};",
        ]
    )
