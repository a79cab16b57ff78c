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
