"""Random straight-line programs over lists, judged by running them in a heap of our own."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from tests.static.conftest import find
from tests.support.examples import examples

HEADER = """#include <stdlib.h>
typedef struct cell { struct cell *f, *g; } Cell;
static Cell *make(void) { Cell *c = calloc(1, sizeof *c); if (!c) abort(); return c; }
"""
VARIABLES = ("a", "b", "c")
STATEMENT = st.tuples(
    st.sampled_from(("new", "copy", "null", "load", "store", "clear", "free")),
    st.sampled_from(VARIABLES),
    st.sampled_from(VARIABLES),
    st.sampled_from(("f", "g")),
)


class Concrete:
    """A heap of numbered cells; ``lost`` once a cell has no way to it from a variable."""

    def __init__(self) -> None:
        self.variables: dict[str, int | None] = dict.fromkeys(VARIABLES)
        self.cells: dict[int, dict[str, int | None]] = {}
        self.count = 0
        self.lost = False

    def step(self, kind: str, p: str, q: str, field: str) -> str | None:
        """Do a statement; its C text, or None if it would be undefined."""
        here, there = self.variables[p], self.variables[q]
        text: str | None = None
        if kind == "new":
            self.count += 1
            self.cells[self.count] = {"f": None, "g": None}
            self.variables[p] = self.count
            text = f"{p} = make();"
        elif kind == "copy":
            self.variables[p] = there
            text = f"{p} = {q};"
        elif kind == "null":
            self.variables[p] = None
            text = f"{p} = NULL;"
        elif kind == "load" and there is not None:
            self.variables[p] = self.cells[there][field]
            text = f"{p} = {q}->{field};"
        elif kind == "store" and here is not None:
            self.cells[here][field] = there
            text = f"{p}->{field} = {q};"
        elif kind == "clear" and here is not None:
            self.cells[here][field] = None
            text = f"{p}->{field} = NULL;"
        elif kind == "free" and here is not None and self._references(here) == 1:
            del self.cells[here]
            self.variables[p] = None
            text = f"free({p}); {p} = NULL;"
        self._sweep()
        return text

    def _references(self, cell: int) -> int:
        values = [*self.variables.values(), *(v for c in self.cells.values() for v in c.values())]
        return values.count(cell)

    def _sweep(self) -> None:
        alive: set[int] = set()
        stack = [v for v in self.variables.values() if v is not None]
        while stack:
            cell = stack.pop()
            if cell not in alive:
                alive.add(cell)
                stack.extend(v for v in self.cells[cell].values() if v is not None)
        if len(alive) != len(self.cells):
            self.lost = True
            self.cells = {c: v for c, v in self.cells.items() if c in alive}


@examples(60)
@given(st.lists(STATEMENT, min_size=3, max_size=14))
def test_straight_line_programs(statements: list[tuple[str, str, str, str]]) -> None:
    heap = Concrete()
    lines = [text for s in statements if (text := heap.step(*s)) is not None]
    leaks = heap.lost or bool(heap.cells)
    body = "\n    ".join(lines)
    text = f"{HEADER}void run(void) {{\n    Cell *a = 0, *b = 0, *c = 0;\n    {body}\n}}\n"
    with tempfile.TemporaryDirectory() as folder:
        found = [f for f in find(Path(folder), text) if f.function == "run"]
    assert bool(found) == leaks, text
