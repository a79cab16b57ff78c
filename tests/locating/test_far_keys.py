"""Keys that a node only points to, and one-liners over elements of arrays."""

from __future__ import annotations

import pytest

from tests.locating.test_reading import Question, ask, violated

__all__ = ["ask"]

TREE = r"""
#include <stdlib.h>
struct item { long pad, key; };
struct node { struct node *child[2]; void *data; };
struct tree { struct node *root; };
__attribute__((noinline)) long key_of(struct node *node) { return KEY(node->data); }
__attribute__((noinline)) void insert(struct tree *tree, void *data, long key) {
    struct node *node = calloc(1, sizeof *node), **at = &tree->root;
    node->data = data;
    while (*at)
        at = &(*at)->child[key >= key_of(*at)];
    *at = node;
}
__attribute__((noinline)) void turn(struct tree *tree) {
    struct node *top = tree->root->child[0], *left = top->child[0];
    top->child[0] = top->child[1];
    top->child[1] = left; /* wrong */
}
int main(void) {
    struct tree *tree = calloc(1, sizeof *tree);
    for (long i = 0; i < 7; i++) {
        long key = (i * 3 + 3) % 7;
        MAKE
        insert(tree, made, key);
    }
    if (WRONG)
        turn(tree);
    return 0;
}
"""
ITEM = {
    "KEY(data)": "(((struct item *)data)->key)",
    "MAKE": "struct item *made = malloc(sizeof *made); made->key = key;",
}
NUMBER = {"KEY(data)": "(*(int *)data)", "MAKE": "int *made = malloc(sizeof *made); *made = key;"}
HEAD = "root: node from tree.root;\n"


def program(kind: dict[str, str], wrong: int) -> str:
    defined = {"WRONG": str(wrong), **kind}
    return "".join(f"#define {name} {text}\n" for name, text in defined.items()) + TREE


@pytest.mark.parametrize(
    ("kind", "node", "key"),
    [
        (ITEM, "item { key!; }\nnode { child[2]*!; data^! : item; }\n", "data.key"),
        (NUMBER, "node { child[2]*!; data^! : int; }\n", "data[0]"),
    ],
)
def test_a_search_tree_over_what_its_nodes_point_to(
    ask: Question, kind: dict[str, str], node: str, key: str
) -> None:
    spec = node + HEAD + f"bst(child[0], child[1], {key});\n"
    assert ask(program(kind, 0), spec)[0] == 0
    _, wrong = ask(program(kind, 1), spec)
    assert {name.split(".")[-1] for name in violated(wrong)} == {"right_is_more"}


def test_equal_keys_behind_pointers(ask: Question) -> None:
    spec = "item { key!; }\nnode { child[2]*!; data^! : item; }\n" + HEAD
    same = program(ITEM, 0).replace("(i * 3 + 3) % 7", "i / 2")
    assert violated(ask(same, spec + "unique(node.data.key);\n")[1]) == {"node.unique.once"}
    assert ask(program(ITEM, 0), spec + "unique(node.data.key);\n")[0] == 0


TOWERS = r"""
#include <stdlib.h>
struct link { struct link *next, *prev; };
struct list { struct link head[3]; };
struct tower { long key; struct link link[]; };
__attribute__((noinline)) void put(struct link *new, struct link *after) {
    new->next = after->next;
    new->prev = after;
    after->next->prev = new;
    after->next = new;
}
int main(void) {
    struct list *list = malloc(sizeof *list);
    for (int level = 0; level < 3; level++)
        list->head[level].next = list->head[level].prev = &list->head[level];
    for (int i = 0; i < 9; i++) {
        struct tower *tower = malloc(sizeof *tower + (1 + i % 3) * sizeof(struct link));
        tower->key = i;
        for (int level = 0; level <= i % 3; level++)
            put(&tower->link[level], &list->head[level]);
    }
    if (WRONG)
        list->head[2].next->next = &list->head[1];
    return 0;
}
"""


def test_structures_in_an_array_without_a_length(ask: Question) -> None:
    spec = "link in tower.link, list.head { next*; prev^; }\ninverse(next, prev);\n"
    status, answer = ask("#define WRONG 0\n" + TOWERS, spec)
    assert (status, answer["types"]) == (0, {"link": 3 + 3 * (1 + 2 + 3)})
    status, answer = ask("#define WRONG 1\n" + TOWERS, spec)
    assert status == 1
    assert "link.inverse.there_and_back" in violated(answer)


HEAP = r"""
#include <stdlib.h>
struct item { int key; };
struct heap { void **items; int count; };
__attribute__((noinline)) void push(struct heap *heap, void *item) {
    int at = heap->count++;
    int key = ((struct item *)item)->key;
    for (; at > FIRST && ((struct item *)heap->items[(at - 1) / 2])->key > key; at = (at - 1) / 2)
        heap->items[at] = heap->items[(at - 1) / 2];
    heap->items[at] = item;
}
int main(void) {
    struct heap *heap = malloc(sizeof *heap);
    heap->items = calloc(20, sizeof *heap->items);
    heap->count = 0;
    for (int i = 0; i < 20; i++) {
        struct item *item = malloc(sizeof *item);
        item->key = (i * 7 + 9) % 20;
        push(heap, item);
    }
    return 0;
}
"""


def test_items_behind_an_array_of_void_pointers(ask: Question) -> None:
    spec = "item { key!; }\nheap { items : item; count!; }\nheap H;\n"
    spec += "order: for I in 1 to H.count - 1, H.items[(I - 1) / 2].key <= H.items[I].key;\n"
    assert ask("#define FIRST 0\n" + HEAP, spec)[0] == 0
    status, answer = ask("#define FIRST 3\n" + HEAP, spec)
    assert (status, violated(answer)) == (1, {"order"})
