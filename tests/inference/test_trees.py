"""Inference over trees whose children are an array, whose keys are ``void *``, or elsewhere."""

from __future__ import annotations

import pytest

from tests.conftest import Compile, Heapstory, Record

TREE = r"""
#include <stdint.h>
#include <stdlib.h>
struct node { void *key; struct node *child[2]; int leaves; };
static struct node *root;
static struct node *put(struct node *node, uintptr_t key) {
    if (!node) {
        node = calloc(1, sizeof *node);
        node->key = (void *)key;
        node->child[0] = node->child[1] = NULL;
        node->leaves = 1;
        return node;
    }
    int side = key > (uintptr_t)node->key;
    node->child[side] = put(node->child[side], key);
    node->leaves = 0;
    for (int i = 0; i < 2; i++)
        node->leaves += node->child[i] ? node->child[i]->leaves : 0;
    return node;
}
static void add(uintptr_t key) { root = put(root, key); }
int main(void) {
    for (unsigned i = 1; i <= 40; ++i)
        add(i * 29 % 41);
    return 0;
}
"""


def test_children_in_an_array_keys_that_are_void_and_sums(
    compile_program: Compile, record: Record, heapstory: Heapstory
) -> None:
    done = heapstory("infer", record(compile_program(TREE, "-O0")))
    assert done.returncode == 0, done.stderr
    said = " ".join(done.stdout.split())
    order = "MAX(X.child[0], key, [child]) < X.key and MIN(X.child[1], key, [child]) > X.key"
    assert order in said, done.stdout
    both = "X.child[0] != NULL and X.child[1] != NULL"
    assert f"{both} => X.leaves == X.child[0].leaves + X.child[1].leaves" in said, done.stdout


FAR = r"""
#include <stdlib.h>
struct item { int weight; int number; };
struct node { struct item *data; struct node *left, *right; };
static struct node *root;
static void add(int number, int weight) {
    struct node **at = &root;
    while (*at)
        at = number < (*at)->data->number ? &(*at)->left : &(*at)->right;
    struct node *node = calloc(1, sizeof *node);
    node->data = malloc(sizeof *node->data);
    node->data->number = number;
    node->data->weight = weight;
    node->left = node->right = NULL;
    *at = node;
}
int main(void) {
    for (int i = 1; i <= 40; ++i)
        add(i * 29 % 41, i * 17 % 41);
    return 0;
}
"""


def test_keys_behind_pointers(
    compile_program: Compile, record: Record, heapstory: Heapstory
) -> None:
    """The tree is ordered by one number of its items, and not by the other."""
    done = heapstory("infer", record(compile_program(FAR, "-O0")))
    assert done.returncode == 0, done.stderr
    said = " ".join(done.stdout.split())
    way = "[left, right]"
    order = f"MAX(X.left, data.number, {way}) < X.data.number"
    assert f"{order} and MIN(X.right, data.number, {way}) > X.data.number" in said, done.stdout
    assert "data.weight, " not in said


NUMBERS = r"""
#include <stdlib.h>
struct node { HELD *data; struct node *left, *right; };
static struct node *root;
static void add(int number) {
    struct node **at = &root;
    while (*at)
        at = number < *(int *)(*at)->data ? &(*at)->left : &(*at)->right;
    struct node *node = calloc(1, sizeof *node);
    node->data = malloc(sizeof(int));
    *(int *)node->data = number;
    node->left = node->right = NULL;
    *at = node;
}
int main(void) {
    for (int i = 1; i <= 40; ++i)
        add(i * 29 % 41);
    return 0;
}
"""


@pytest.mark.parametrize(
    ("held", "said"),
    [
        ("int", "MAX(X.left, data[0], [left, right]) < X.data[0] and MIN(X.right, data[0], "),
        ("void", "# data is a void *: an order of what it points to is not looked for"),
    ],
)
def test_keys_that_are_numbers_by_themselves(
    held: str, said: str, compile_program: Compile, record: Record, heapstory: Heapstory
) -> None:
    done = heapstory("infer", record(compile_program(NUMBERS, "-O0", f"-DHELD={held}")))
    assert said in " ".join(done.stdout.split()), done.stdout
