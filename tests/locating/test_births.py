"""Allocations: the statement that wanted the node is named, not a wrapper of ``malloc``."""

from __future__ import annotations

import pytest

from tests.locating.test_reading import Question, ask

__all__ = ["ask"]

SOURCE = r"""
#include <stdlib.h>
struct node { long key; struct node *next; };
struct list { struct node *head; long size; long spare; };
static void *allocated(size_t size) {
    void *block = malloc(size); /* wrapper */
    if (!block)
        exit(1);
    return block;
}
static __attribute__((noinline)) struct list *make(void) {
    struct list *list = allocated(sizeof *list); /* list */
    list->head = NULL;
    if (FORGOTTEN != 1)
        list->size = 0;
    return list;
}
static __attribute__((noinline)) void push(struct list *list, long key) {
    struct node *node = allocated(sizeof *node); /* node */
    if (FORGOTTEN != 2)
        node->key = key;
    node->next = list->head;
    list->head = node;
    list->size++;
}
int main(void) {
    struct list *list = make();
    push(list, 1);
    push(list, 2);
    return 0;
}
"""
SPEC = "node { key!; next*!; }\nlist { head*!; size!; }\nlist(next, list.head);\n"


@pytest.mark.parametrize("level", ["-O0", "-O2"])
@pytest.mark.parametrize(("forgotten", "mark"), [(1, "list"), (2, "node")])
def test_a_field_that_was_never_written(
    ask: Question, forgotten: int, mark: str, level: str
) -> None:
    status, answer = ask(SOURCE, SPEC, f"-DFORGOTTEN={forgotten}", level)
    assert status == 1
    line = SOURCE[: SOURCE.index(f"/* {mark} */")].count("\n") + 1
    assert line in [statement["line"] for statement in answer["statements"]]


MADE_WRONG = r"""
#include <stdlib.h>
struct node { long key; struct node *next; };
struct list { struct node *head; };
static __attribute__((noinline)) struct node *make(long key) {
    struct node *node = malloc(sizeof *node);
    node->next = NULL;
    node->key = key == 40 ? key - 25 : key; /* wrong */
    return node;
}
static __attribute__((noinline)) void insert(struct list *list, struct node *node, long key) {
    struct node **at = &list->head;
    while (*at && (*at)->key < key)
        at = &(*at)->next;
    node->next = *at;
    *at = node;
}
int main(void) {
    struct list *list = calloc(1, sizeof *list);
    for (long i = 1; i < 9; i++) {
        struct node *node = make(i * 10);
        insert(list, node, i * 10);
    }
    return 0;
}
"""


@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_what_was_wrong_before_a_node_was_linked(ask: Question, level: str) -> None:
    """All was well when its maker returned, since nothing led to it yet."""
    spec = "node { key!; next*!; }\nlist { head*; }\nlist(next, list.head);\nsorted(next, key);\n"
    status, answer = ask(MADE_WRONG, spec, level)
    assert status == 1 and answer["clean"] is not None
    wrong = MADE_WRONG[: MADE_WRONG.index("/* wrong */")].count("\n") + 1
    assert wrong in [statement["line"] for statement in answer["statements"]]
