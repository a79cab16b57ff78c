"""Uses after free and bad frees (``--all``)."""

from __future__ import annotations

import pytest

from tests.static.conftest import Leaks

NODE = """
#include <stdlib.h>
#include <string.h>
struct node { struct node *next; char text[8]; };
"""
WRONG = {
    "a pointer read": (
        "void f(struct node *n) { free(n); struct node *m = n->next; free(m); }",
        "use-after-free",
    ),
    "a number that decides": (
        "int f(void) { int *p = malloc(4); if (!p) return 0; *p = 1; free(p);"
        " if (*p) return 1; return 2; }",
        "use-after-free",
    ),
    "a text handed to the library": (
        'unsigned long f(void) { char *p = strdup("x"); if (!p) return 0; free(p);'
        " return strlen(p); }",
        "use-after-free",
    ),
    "an offset": (
        "void f(void) { char *p = malloc(14); if (p) free(p + 2); }",
        "free-of-unallocated",
    ),
    "a member": (
        "void f(void) { struct node *n = malloc(sizeof *n); if (n) free(n->text); }",
        "free-of-unallocated",
    ),
}
RIGHT = {
    "read before": "void f(struct node *n) { struct node *m = n->next; free(n); free(m); }",
    "compared": "int f(char *p, char *q) { free(p); return p == q; }",
    "back to the start": "void f(void) { char *p = malloc(14); if (p) { p += 2; free(p - 2); } }",
    "container": (
        "static void put(char *text) { free(text - offsetof(struct node, text)); }"
        " void f(void) { struct node *n = malloc(sizeof *n); if (n) put(n->text); }"
    ),
    "set anew": (
        'void f(void) { char *p = strdup("x"); free(p); p = strdup("y"); if (p) strlen(p);'
        " free(p); }"
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_misuse(leaks: Leaks, name: str) -> None:
    text, kind = WRONG[name]
    assert kind in {found.kind for found in leaks(NODE + text, everything=True)}


@pytest.mark.parametrize("name", RIGHT)
def test_no_misuse(leaks: Leaks, name: str) -> None:
    text = NODE + "#include <stddef.h>\n" + RIGHT[name]
    assert not leaks(text, everything=True)
