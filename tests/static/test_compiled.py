"""The hot modules are compiled; what that must not cost."""

from __future__ import annotations

import pickle
import traceback
from pathlib import Path

import pytest

from heapstory.static import interpreter, joining, rules, state
from heapstory.static.conditions import assume
from heapstory.static.reducing import collect
from heapstory.static.state import HEAP, Cell, Site, State
from heapstory.static.summary import Outcome, Summary
from heapstory.static.values import Comparison, Symbol

DEEP = 200_000


@pytest.mark.parametrize("module", [interpreter, joining, rules, state])
def test_extensions_are_imported(module: object) -> None:
    assert Path(str(module.__file__)).suffix == ".so"  # type: ignore[attr-defined]


def test_tracebacks_name_the_source() -> None:
    with pytest.raises(KeyError) as caught:
        State().change("nothing")
    last = traceback.extract_tb(caught.value.__traceback__)[-1]
    assert last.filename.endswith("heapstory/static/state.py")
    source = Path(__file__).parents[2] / "src/heapstory/static/state.py"
    assert "self.cells[identity]" in source.read_text().splitlines()[last.lineno - 1]


def test_long_chains_need_no_stack() -> None:
    first = symbol = Symbol(None, "P0")
    for _ in range(DEEP):
        symbol = symbol.derive(("add", 1))
    each = State()
    assert assume(each, Comparison("sgt", symbol, 0), True)
    assert each.facts[first].low == 1 - DEEP
    each.facts = {symbol: each.facts[symbol]}
    collect(each)
    assert symbol in each.facts


def test_summaries_travel() -> None:
    cell = Cell(HEAP, Site("malloc", None))
    cell.fields[8] = (1, 0)
    before = Summary("@f", 1, outcomes=[Outcome({1: cell}, {}, (1, 0), {})])
    after = pickle.loads(pickle.dumps(before))
    assert after.name == "@f" and after.parameters == 1
    (row,) = after.outcomes
    assert row.result == (1, 0) and row.cells[1].fields == {8: (1, 0)}
    assert row.cells[1].site == cell.site and row.cells[1].leads == (1,)
