"""A small program with everything a page shows, recorded once for each test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import heapstory as api
from tests.conftest import Compile, Record

PROGRAM = """#include <stdlib.h>
struct node { int value; struct node *next; };
struct node *head, *old;
const char *evil = "</script><script>alert(1)</script>";
static void push(int value) {
    struct node *made = malloc(sizeof *made);
    made->value = value;
    made->next = head;
    head = made;
}
int main(void) {
    for (int i = 0; i < 40; i++) push(i);
    old = head;
    head = old->next;
    free(old);
    push(99);
    return 0;
}
"""


@pytest.fixture
def story(compile_program: Compile, record: Record) -> Iterator[api.Trace]:
    """A list of 40 nodes, the last of them freed and its memory given out again."""
    with api.open(record(compile_program(PROGRAM))) as trace:
        yield trace
