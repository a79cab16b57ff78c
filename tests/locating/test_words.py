"""What an answer says to people."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.conftest import Heapstory, Record

PROGRAM = r"""
#include <stdlib.h>
typedef struct node {
    long key[40];
    struct node *next, *prev;
} node_t;
typedef struct {
    node_t *head;
    struct cell { int used; int key; } cells[20];
} list_t;
typedef list_t all_t;
void push(list_t *list, long key) {
    node_t *node = malloc(sizeof *node);
    node->prev = NULL;
    for (int i = 0; i < 40; i++)
        node->key[i] = key + i;
    if (key != FORGOTTEN)
        node->next = list->head;
    if (list->head)
        list->head->prev = node;
    list->head = node;
}
void set(list_t *list, int at, int key) {
    list->cells[at].key = key;
}
int main(void) {
    list_t *list = calloc(1, sizeof *list);
    for (int i = 0; i < 5; i++)
        push(list, i);
    set(list, 15, -1);
    list->head->key[15] = -1;
    push(list, 5);
    return 0;
}
"""
TYPES = "node_t { key[40]; next*; prev^; }\nall_t { head^; }\nnode_t X; all_t T;\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "words.c").write_text(PROGRAM)
    return tmp_path


def recorded(folder: Path, record: Record, forgotten: int) -> Path:
    binary = folder / "words"
    define = f"-DFORGOTTEN={forgotten}"
    subprocess.run(["gcc", "-g", "-O0", define, folder / "words.c", "-o", binary], check=True)
    return record(binary)


def test_of_an_array_what_differs(folder: Path, record: Record, heapstory: Heapstory) -> None:
    """The names of types are those of typedefs."""
    trace, spec = recorded(folder, record, -1), folder / "own.spec"
    spec.write_text(TYPES + "for I in 0 to 38, X.key[I] < X.key[I + 1];")
    shown = heapstory("locate", trace, "--spec", spec).stdout
    boxes = [line for line in shown.splitlines() if "│" in line]
    assert any("key[15]  19" in line and "-1" in line and line.endswith("◀") for line in boxes)
    assert any("more, the same" in line for line in boxes)
    assert len(boxes) < 20, shown
    page = heapstory("locate", trace, "--spec", spec, "--format", "html").stdout
    assert page.count("#ffd6d6") == 1, "one field"
    assert "if this alone had been different" in page


def test_a_field_of_an_element(folder: Path, record: Record, heapstory: Heapstory) -> None:
    trace, spec = recorded(folder, record, -1), folder / "own.spec"
    spec.write_text(TYPES + "for I in 0 to 19, T.cells[I].key >= 0;")
    answer = json.loads(heapstory("locate", trace, "--spec", spec, "--json").stdout)
    assert answer["faults"][0]["slots"][0]["field"] == "cells[15].key"


def test_an_omission_names_the_field(folder: Path, record: Record, heapstory: Heapstory) -> None:
    trace, spec = recorded(folder, record, 3), folder / "own.spec"
    roots = "root: node_t from all_t.head;\n"
    spec.write_text(TYPES + roots + "X.next != NULL => X.next.prev == X;")
    answer = json.loads(heapstory("locate", trace, "--spec", spec, "--json").stdout)
    (omission,) = (fault for fault in answer["faults"] if fault["relation"] == "omission")
    assert omission["missing"].endswith(".next")
    shown = heapstory("locate", trace, "--spec", spec).stdout
    assert f"if {omission['missing']} had been written here as well" in shown
