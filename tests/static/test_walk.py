"""What only values tell: the program is followed from main on."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tests.static.conftest import Leaks

HEAD = """
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
"""

# <:IF text:> is in the correct version only; <:one|other:> is one in the correct version, the other
# in the one that leaks.
TWINS = {
    "jump_over_a_frame": """
        static jmp_buf out;
        static void inner(void) {
            char *p = malloc(8);
            if (!p) return;
            <:IF free(p); :>
            longjmp(out, 1);
        }
        int main(void) {
            if (setjmp(out) == 0) inner();
            return 0;
        }""",
    "jump_keeps_locals": """
        static jmp_buf out;
        static void inner(char *p) { (void)p; longjmp(out, 2); }
        int main(void) {
            char *p = malloc(8);
            if (setjmp(out)) {
                <:IF free(p); :>
                return 0;
            }
            inner(p);
            return 1;
        }""",
    "odd_elements": """
        int main(void) {
            char *all[6];
            for (int i = 0; i < 6; i++) all[i] = malloc(4);
            for (int i = <:0|1:>; i < 6; i++) free(all[i]);
            return 0;
        }""",
    "references": """
        struct object { int count; char *name; };
        static struct object *make(void) {
            struct object *o = malloc(sizeof *o);
            if (!o) abort();
            o->count = 1;
            o->name = strdup("name");
            return o;
        }
        static void drop(struct object *o) {
            if (--o->count == 0) { free(o->name); free(o); }
        }
        int main(void) {
            struct object *o = make();
            o->count++;
            drop(o);
            <:IF drop(o); :>
            return 0;
        }""",
    "bucket": """
        struct entry { struct entry *next; char *key; };
        static struct entry *table[8];
        static unsigned hash(const char *s) {
            unsigned h = 5381;
            while (*s) h = h * 33 + (unsigned char)*s++;
            return h % 8;
        }
        static void put(const char *key) {
            struct entry *e = malloc(sizeof *e);
            if (!e) abort();
            unsigned h = hash(key);
            e->key = strdup(key);
            e->next = table[h];
            table[h] = e;
        }
        static void delete(const char *key) {
            for (struct entry **p = &table[hash(key)]; *p; p = &(*p)->next)
                if (!strcmp((*p)->key, key)) {
                    struct entry *gone = *p;
                    *p = gone->next;
                    free(gone->key);
                    <:IF free(gone); :>
                    return;
                }
        }
        int main(void) {
            put("one"); put("two"); put("three");
            delete("one"); delete("two"); delete("three");
            return 0;
        }""",
    "tag": """
        struct value { int kind; union { long number; char *text; } as; };
        static void clear(struct value v) { if (v.kind == <:1|2:>) free(v.as.text); }
        int main(void) {
            struct value v = { .kind = 1 };
            v.as.text = strdup("text");
            clear(v);
            return 0;
        }""",
    "marked_pointer": """
        int main(void) {
            unsigned long p = (unsigned long)malloc(16) | 1;
            if ((p & 1) == <:1|0:>) free((void *)(p & ~1UL));
            return 0;
        }""",
    "further_arguments": """
        static void free_some(int count, ...) {
            va_list list;
            va_start(list, count);
            while (count--) free(va_arg(list, void *));
            va_end(list);
        }
        int main(void) {
            char *a = malloc(1), *b = malloc(1);
            free_some(<:2|1:>, a, b);
            return 0;
        }""",
    "formatted": """
        int main(void) {
            char name[16];
            snprintf(name, sizeof name, "%s-%02d", "item", 7);
            char *p = strdup(name);
            if (p && !strcmp(p, <:"item-07"|"item-7":>)) free(p);
            return 0;
        }""",
    "structure_by_value": """
        struct big { long pad[4]; char *text; };
        static void use(struct big b) { b.text = NULL; }
        static struct big make(void) {
            struct big b = {{0}, strdup("x")};
            return b;
        }
        int main(void) {
            struct big b = make();
            use(b);
            <:IF free(b.text); :>
            return 0;
        }""",
    "structure_in_registers": """
        struct pair { char *first, *second; };
        static struct pair make(void) {
            struct pair p = { strdup("a"), strdup("b") };
            return p;
        }
        int main(void) {
            struct pair p = make();
            free(p.first);
            <:IF free(p.second); :>
            return 0;
        }""",
}


def twins(source: str) -> tuple[str, str]:
    """The correct and the leaking version of a text."""

    def version(leaking: bool) -> str:
        def choose(match: re.Match[str]) -> str:
            if match[1].startswith("IF "):
                return "" if leaking else match[1][3:]
            return match[1].split("|")[leaking]

        return HEAD + re.sub("<:(.*?):>", choose, source)

    return version(leaking=False), version(leaking=True)


@pytest.mark.parametrize("name", TWINS)
def test_known_values(name: str, leaks: Leaks) -> None:
    correct, leaking = twins(TWINS[name])
    assert [f.confidence for f in leaks(leaking)] not in ([], ["low"])
    assert [f for f in leaks(correct) if f.confidence != "low"] == []


def test_arithmetic_wraps(leaks: Leaks) -> None:
    """A block that is freed only if numbers behave as the machine's do."""
    source = """
        int main(void) {
            unsigned h = 4000000000u;
            h = h * 31 + 7;
            unsigned char c = 300 & 0xffff;
            long shifted = -8 >> 1;
            char *p = malloc(4);
            if (h == %s && c == 44 && shifted == -4 && -7 / 2 == -3 && -7 %% 2 == -1) free(p);
            return 0;
        }"""
    right = (4000000000 * 31 + 7) % 2**32
    assert [f for f in leaks(HEAD + source % f"{right}u") if f.confidence != "low"] == []
    assert leaks(HEAD + source % f"{right + 1}u")


def test_input_is_not_known(leaks: Leaks) -> None:
    """Both ways of an unknown decision are taken, and each is remembered."""
    source = """
        int main(int argc, char **argv) {
            char *p = NULL;
            int own = 0;
            if (argc > 1) { p = strdup(argv[1]); own = 1; }
            if (%s) free(p);
            return 0;
        }"""
    assert leaks(HEAD + source % "own") == []
    assert [f.function for f in leaks(HEAD + source % "own && argc > 2")] == ["main"]


def test_where_it_was_lost(leaks: Leaks) -> None:
    """The finding names the function in which both ways part, the allocation and the jump."""
    _, leaking = twins(TWINS["jump_over_a_frame"])
    (finding,) = leaks(leaking)
    lines = leaking.splitlines()
    assert finding.kind == "local-lost-at-return"
    assert "longjmp" in lines[finding.place.line - 1]
    assert "malloc" in lines[finding.allocated.line - 1]
    assert finding.function == "inner"


def test_failures_nobody_asks_about(leaks: Leaks) -> None:
    """Where the first text is missing the second is never released; nobody would call it a leak."""
    source = """
        static void fill(char **all) {
            all[0] = strdup("a");
            all[1] = strdup("b");
        }
        int main(void) {
            char *all[3] = {0};
            fill(all);
            for (char **p = all; *p; p++) free(*p);
            return 0;
        }"""
    assert {f.confidence for f in leaks(HEAD + source)} <= {"low"}


@pytest.mark.parametrize("name", list(TWINS)[1::3])
def test_leak_sanitizer_agrees(name: str, tmp_path: Path) -> None:
    for text, leaking in zip(twins(TWINS[name]), (False, True), strict=True):
        source, program = tmp_path / "program.c", tmp_path / "program"
        source.write_text(text)
        subprocess.run(["gcc", "-w", "-fsanitize=address", "-o", program, source], check=True)
        done = subprocess.run([program], capture_output=True, text=True, check=False)
        assert ("detected memory leaks" in done.stderr) == leaking
