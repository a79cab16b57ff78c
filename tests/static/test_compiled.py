"""The hot modules are compiled; what that must not cost."""

from __future__ import annotations

import pickle
import subprocess
import sys
import traceback
from pathlib import Path

import pytest

from heapstory.static.function import fixpoint
from heapstory.static.heap import joining, state
from heapstory.static.heap.conditions import assume
from heapstory.static.heap.names import global_cell, parameter
from heapstory.static.heap.state import GLOBAL, HEAP, PRE, Cell, Site, State
from heapstory.static.heap.values import ANYWHERE, CellId, Comparison, Pointer, Symbol
from heapstory.static.summaries.summary import Row, Summary
from heapstory.static.transfer import rules

DEEP = 200_000


@pytest.mark.parametrize("module", [fixpoint, joining, rules, state])
def test_extensions_are_imported(module: object) -> None:
    assert Path(str(module.__file__)).suffix == ".so"  # type: ignore[attr-defined]


def test_tracebacks_name_the_source() -> None:
    with pytest.raises(KeyError) as caught:
        State().change(1)
    last = traceback.extract_tb(caught.value.__traceback__)[-1]
    assert last.filename.endswith("heapstory/static/heap/state.py")
    source = Path(__file__).parents[2] / "src/heapstory/static/heap/state.py"
    assert "self.cells[identity]" in source.read_text().splitlines()[last.lineno - 1]


def test_long_chains_need_no_stack() -> None:
    first = symbol = Symbol(None, "P0")
    each = State()
    for _ in range(10):
        symbol = symbol.derive(("add", 1))
    assert assume(each, Comparison("sgt", symbol, 0), True)
    assert each.facts[first].low == 1 - 10
    for _ in range(DEEP):
        symbol = symbol.derive(("add", 1))
    assert assume(each, Comparison("sgt", symbol, 0), True)
    assert pickle.loads(pickle.dumps(symbol)) is not symbol


def test_summaries_travel() -> None:
    cell = Cell(HEAP, Site("malloc", None))
    cell.fields[8] = Pointer(1, ANYWHERE)
    outer = Cell(PRE)
    outer.fields[0] = Pointer(1, 0)
    cells: dict[CellId, Cell] = {
        1: cell,
        parameter(0).below(16): outer,
        global_cell("@g"): Cell(GLOBAL),
    }
    before = Summary("@f", 1, rows=[Row(cells, {}, Pointer(1, 0), {})])
    after = pickle.loads(pickle.dumps(before))
    assert after.name == "@f" and after.parameters == 1
    (row,) = after.rows
    assert list(row.cells) == list(cells), "there is one object for a name"
    assert row.result == Pointer(1, 0) and row.cells[1].fields == {8: Pointer(1, ANYWHERE)}
    assert row.cells[1].site == cell.site and row.cells[1].leads == (1,)


def test_long_paths_are_freed() -> None:
    """Freed one inside the other; ``-X dev`` notices what is written beside a block."""
    code = (
        "from heapstory.static.heap.state import State\n"
        "state = State()\n"
        f"for _ in range({DEEP}): state.note(None, 'step')\n"
        "del state\n"
    )
    subprocess.run([sys.executable, "-X", "dev", "-W", "ignore", "-c", code], check=True)
