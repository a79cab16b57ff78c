"""Inference over types whose names are no plain words, and of some types only."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.conftest import Compile, Heapstory, Record

CPP = r"""
namespace app {
template <class T> struct List {
    struct Node { T value; Node *next; };
    Node *head = nullptr;
    void push(T value) { head = new Node{value, head}; }
};
}
static app::List<int> list;
int main() {
    for (int i = 0; i < 30; ++i)
        list.push(i);
    return 0;
}
"""
CONTAINER = r"""
#include <stdlib.h>
struct node { int key; struct node *next; };
struct table { int count; struct node *first; };
static struct table *table;
static void put(int key) {
    struct node *node = malloc(sizeof *node);
    node->key = key;
    node->next = table->first;
    table->first = node;
    ++table->count;
}
int main(void) {
    table = calloc(1, sizeof *table);
    for (int i = 0; i < 30; ++i)
        put(i);
    return 0;
}
"""


@pytest.mark.parametrize("asked", [(), ("--type", "Node"), ("--type", "app::List<int>::Node")])
def test_names_of_cpp(
    asked: tuple[str, ...], record: Record, heapstory: Heapstory, tmp_path: Path
) -> None:
    (tmp_path / "list.cpp").write_text(CPP)
    subprocess.run(["g++", "-g", "-O0", "list.cpp", "-o", "list"], cwd=tmp_path, check=True)
    trace, spec = record(tmp_path / "list"), tmp_path / "list.spec"
    done = heapstory("infer", trace, "-o", spec, *asked)
    assert done.returncode == 0, done.stderr
    assert 'Node is "app::List<int>::Node" {' in spec.read_text()
    done = heapstory("locate", trace, "--spec", spec)
    assert done.returncode == 0 and "held" in done.stdout, done.stdout + done.stderr


def test_a_container_alone(compile_program: Compile, record: Record, heapstory: Heapstory) -> None:
    trace = record(compile_program(CONTAINER, "-O0"))
    done = heapstory("infer", trace, "--type", "table")
    assert done.returncode == 0, done.stderr
    assert "table {" in done.stdout and "node" not in done.stdout
