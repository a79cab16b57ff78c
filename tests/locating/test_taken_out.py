"""Nodes that were taken out, are not freed yet and still point into the structure."""

from __future__ import annotations

import pytest

from tests.locating.test_reading import Question, ask, violated

__all__ = ["ask"]

TREE = r"""
#include <stdlib.h>
struct node { long key; struct node *left, *right; };
struct tree { struct node *root; };
__attribute__((noinline)) void insert(struct tree *tree, long key) {
    struct node *node = calloc(1, sizeof *node), **at = &tree->root;
    node->key = key;
    while (*at)
        at = key < (*at)->key ? &(*at)->left : &(*at)->right;
    *at = node;
}
/* Puts a copy in the place of the top node, which keeps its pointers. */
__attribute__((noinline)) struct node *replace(struct tree *tree) {
    struct node *old = tree->root, *copy = malloc(sizeof *copy);
    *copy = *old;
    tree->root = copy;
    if (WRONG)
        copy->left->right = copy->right;
    return old;
}
int main(void) {
    struct tree *tree = calloc(1, sizeof *tree);
    for (long i = 0; i < 7; i++)
        insert(tree, (i * 3 + 3) % 7);
    struct node *old = replace(tree);
    insert(tree, 20);
    free(old);
    insert(tree, 21);
    return 0;
}
"""
LIST = r"""
#include <stdlib.h>
struct node { long key; struct node *next; };
struct list { struct node *head; };
__attribute__((noinline)) void push(struct list *list, long key) {
    struct node *node = malloc(sizeof *node);
    node->key = key;
    node->next = list->head;
    list->head = node;
}
/* Takes the second node out; if wrong, the other list leads to the rest as well. */
__attribute__((noinline)) struct node *take(struct list *list, struct list *other) {
    struct node *node = list->head->next;
    list->head->next = node->next;
    if (WRONG)
        other->head->next = node->next;
    return node;
}
int main(void) {
    struct list *list = calloc(1, sizeof *list), *other = calloc(1, sizeof *other);
    push(other, 9);
    for (long i = 0; i < 6; i++)
        push(list, i);
    struct node *old = take(list, other);
    push(list, 7);
    free(old);
    push(list, 8);
    return 0;
}
"""
TREE_SPEC = "node { key; left*; right*; }\ntree { root^; }\n"
CASES = [
    (LIST, "node { key; next*; }\nlist { head^; }\nlist(next, list.head);\n", "take"),
    (TREE, TREE_SPEC + "forest(left, right, tree.root);\n", "replace"),
    (TREE, TREE_SPEC + "tree(left, right, tree.root);\n", "replace"),
]


@pytest.mark.parametrize("level", ["-O0", "-O2"])
@pytest.mark.parametrize(("source", "spec", "function"), CASES, ids=["list", "forest", "tree"])
def test_its_edges_do_not_count(
    ask: Question, source: str, spec: str, function: str, level: str
) -> None:
    status, answer = ask(source, spec, "-DWRONG=0", level)
    assert status == 0, violated(answer)
    assert "roots lead to" in answer["reading"]
    status, answer = ask(source, spec, "-DWRONG=1", level)
    assert status == 1
    assert any("one_" in name for name in violated(answer)), violated(answer)
    assert answer["bad"]["function"] == function, "while the node that was taken out is there"


def test_without_roots_its_edges_make_the_answer_unknown(ask: Question) -> None:
    """Nothing says where the structure begins: the node may be the top of another one."""
    spec = TREE_SPEC + "forest(left, right);\n"
    status, answer = ask(TREE, spec, "-DWRONG=0")
    assert status == 4, violated(answer)
    assert "all node, tree nodes" in answer["reading"]
    (said,) = answer["unmatched"]
    assert "after replace returned" in said and "say where structures begin" in said
    status, answer = ask(TREE, spec, "-DWRONG=1")
    assert status == 1, "two other nodes lead there"
    assert answer["bad"]["function"] == "replace"
