"""The worked examples of the slides: f, f1, g1, g2 and Table 2."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heapstory.cfront.capture import Job
from heapstory.cfront.program import Function, Place
from heapstory.static import Options, analyse, load_models
from heapstory.static.function.frame import FunctionFrame
from heapstory.static.heap.abstraction import AbstractState, VariableOrder, abstract
from heapstory.static.heap.distance import D, minus, plus
from heapstory.static.heap.names import global_cell
from heapstory.static.heap.state import GLOBAL, HEAP, Cell, Site, State
from heapstory.static.heap.values import Pointer
from heapstory.static.program.index import Index, View
from heapstory.static.transfer.applying import apply
from heapstory.static.transfer.models import Models
from tests.static.conftest import Leaks
from tests.support.examples import examples

LIST = """
#include <stdlib.h>
typedef struct list { int d; struct list *n; } List;
List *l;
"""
F = (
    LIST
    + """
void f(void) {
    List *x = (List *)malloc(sizeof(List));
    x->n = (List *)malloc(sizeof(List));
    free(x);
}
"""
)
F1 = """
List *f1(List *p) {
    if (p != NULL) {
        l = p;
    }
    p = (List *)malloc(sizeof(List));
    p->n = (List *)malloc(sizeof(List));
    return p;
}
"""


def test_f_loses_the_member_at_free(leaks: Leaks) -> None:
    (finding,) = leaks(F)
    assert (finding.kind, finding.place.line, finding.allocated.line) == (
        "field-lost-at-free",
        9,
        8,
    )


def test_g1_and_g2_lose_the_member_that_f1_made(leaks: Leaks) -> None:
    g1 = """void g1(void) { l = NULL; List *x = malloc(sizeof(List)); List *y = f1(x);
    free(y);
    free(l); }"""
    g2 = """
    void g2(void) { l = NULL; List *x = NULL; List *z = f1(x);
    free(z); }"""
    found = leaks(LIST + F1 + g1 + g2)
    assert [(f.kind, f.function) for f in found] == [
        ("field-lost-at-free", "g1"),
        ("field-lost-at-free", "g2"),
    ]
    assert all(f.chain for f in found), "allocated through the call of f1"


@pytest.mark.parametrize(
    ("left", "right", "sum_", "difference"),
    [
        (0, 0, {0}, None), (0, 1, {1}, None), (0, 2, {2}, None),
        (1, 0, {1}, {1}), (1, 1, {2}, {0}), (1, 2, {2}, None),
        (2, 0, {2}, {2}), (2, 1, {2}, {1, 2}), (2, 2, {2}, {0, 1, 2}),
    ],
)  # fmt: skip
def test_table_1(left: int, right: int, sum_: set[int], difference: set[int] | None) -> None:
    assert {left, right} <= set(D)
    assert plus(left, right) == sum_
    assert minus(left, right) == difference


def _apply_f1(tmp_path: Path, length: int) -> list[AbstractState]:
    """Call f1 with a list of this length and l null; the abstract states afterwards."""
    path = tmp_path / "f1.c"
    path.write_text(LIST + F1)
    result = analyse([Job(str(tmp_path), "f1.c")], Options(load_models([]), processes=1))
    caller, held = State(), global_cell("@l")
    for number in range(length):
        cell = Cell(HEAP, Site("malloc", None))
        cell.null = 1
        if number + 1 < length:
            cell.fields[8] = Pointer(number + 1, 0)
        caller.cells[number] = cell
    caller.cells[held] = Cell(GLOBAL)
    caller.cells[held].fields[0] = 0
    argument = Pointer(0, 0) if length else 0
    frame = FunctionFrame(Function("@g1", Place("g1.c", 1, "g1"), []), View(Index(Models()), {}))
    frame.cells = length
    found = []
    for row in result.results["@f1"].summary.rows:
        applied = apply(frame, caller, row, [argument], 1, None)
        if applied is not None:
            assert applied.result is not None
            variables = {"l": applied.state.cells[held].fields[0], "ret": applied.result}
            found.append(abstract(applied.state, variables, [8]))
    assert not frame.losses
    return found


BOTTOM = {0: None, 1: None, 2: None}
NEW_PAIR = {0: 0, 1: 0, 2: None}


@pytest.mark.parametrize(
    ("length", "l_after"),
    [
        (0, BOTTOM),
        (1, {0: 0, 1: None, 2: None}),
        (2, {0: 0, 1: 0, 2: None}),
        (3, {0: 0, 1: 0, 2: 0}),
    ],
)
def test_table_2(tmp_path: Path, length: int, l_after: dict[int, int | None]) -> None:
    """Preconditions: p null, a cell, a cell with a member, a longer list; l is null before."""
    (after,) = _apply_f1(tmp_path, length)
    assert after == {"ret": {8: NEW_PAIR}, "l": {8: l_after}}


def test_example_state() -> None:
    """The extended pointer structures of the slides' five-cell heap."""
    state = State()
    for number in range(5):
        state.cells[number] = Cell(HEAP)
    state.cells[0].fields.update({1: Pointer(3, 0), 2: Pointer(1, 0)})
    state.cells[1].fields[2] = Pointer(2, 0)
    state.cells[3].fields[1] = Pointer(4, 0)
    found = abstract(state, {"x": Pointer(0, 0), "y": Pointer(1, 0), "z": Pointer(4, 0)}, [1, 2])
    x, y, z = 1, 2, 4
    assert found["x"] == {1: {0: 0, 1: 0, 2: z}, 2: {0: 0, 1: y, 2: 0}}
    assert found["y"] == {1: {0: 0, 1: None, 2: None}, 2: {0: 0, 1: 0, 2: None}}
    assert found["z"] == {1: {0: 0, 1: None, 2: None}, 2: {0: 0, 1: None, 2: None}}
    assert x == 1


@examples(100)
@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 1), st.integers(0, 5)), max_size=8),
       st.lists(st.integers(0, 5), min_size=1, max_size=4))  # fmt: skip
def test_saturation_adds_nothing_that_the_heap_does_not_have(
    edges: list[tuple[int, int, int]], variables: list[int]
) -> None:
    """A state read off a heap is saturated already, and its vectors are what walking it finds."""
    state = State()
    for number in range(6):
        state.cells[number] = Cell(HEAP)
    for source, field, target in edges:
        state.cells[source].fields[field] = Pointer(target, 0)
    named = {f"v{i}": Pointer(cell, 0) for i, cell in enumerate(variables)}
    found = abstract(state, named, [0, 1])
    order = VariableOrder(sorted(named))
    for name, pointer in named.items():
        for field in (0, 1):
            vectors = found[name][field]
            assert not (vectors[0] or 0) & order.bit[name], "anti-reflexivity"
            step = state.cells[pointer.cell].fields.get(field)
            assert (vectors[1] is None) == (step is None)
            if step is not None:
                assert order.members(vectors[1] or 0) == [
                    n for n in order.names if named[n] == step
                ]
            for other in order.members(vectors[0] or 0):
                assert (found[other][field][0] or 0) & order.bit[name], "symmetry"


def _shown(tmp_path: Path, text: str, function: str) -> dict[int, list[str]]:
    """What ``--show-states`` prints, by line."""
    path = tmp_path / "shown.c"
    path.write_text(text)
    options = Options(load_models([]), processes=1, show=function)
    found: dict[int, list[str]] = {}
    line = 0
    for text in analyse([Job(str(tmp_path), "shown.c")], options).shown:
        head, _, state = text.strip().partition("  ")
        line = line if head == "or" else int(head.rpartition(":")[2])
        found.setdefault(line, []).append(state)
    return found


CELL, PAIR, NONE = "{+8: ⟨0, ∅⟩, ⟨1, ⊥⟩}", "{+8: ⟨0, ∅⟩, ⟨1, ∅⟩, ⟨2, ⊥⟩}", "{+8: ⟨0, ⊥⟩}"


def test_states_of_f_are_those_of_the_slides(tmp_path: Path) -> None:
    assert _shown(tmp_path, F, "f") == {7: [f"x: {CELL}"], 8: [f"x: {PAIR}"], 9: [f"x: {NONE}"]}


def test_states_of_f1_end_in_the_rows_of_table_2(tmp_path: Path) -> None:
    """p null: l stays as it was; p a cell: l holds it. What is returned is a pair."""
    shown = _shown(tmp_path, LIST + F1, "f1")
    assert shown[8] == [f"l: {CELL.replace('∅', '{p}')}  p: {CELL.replace('∅', '{l}')}"]
    assert sorted(shown[12]) == [f"l: {CELL}  p: {PAIR}", f"p: {PAIR}"]


def test_states_of_g1_know_what_f1_did(tmp_path: Path) -> None:
    g1 = """void g1(void) {
    l = NULL;
    List *x = malloc(sizeof(List));
    if (!x) return;
    List *y = f1(x);
    free(y);
    free(l);
}"""
    shown = _shown(tmp_path, LIST + F1 + g1, "g1")
    held = f"l: {CELL.replace('∅', '{x}')}  x: {CELL.replace('∅', '{l}')}"
    assert shown[16] == [f"l: {NONE}  x: {CELL}"]
    assert shown[18] == [f"{held}  y: {PAIR}"]
    assert shown[19] == [f"{held}  y: {NONE}"], "the member is lost here: the leak of the slides"
    assert shown[20] == [f"l: {NONE}  x: {NONE}  y: {NONE}"]
