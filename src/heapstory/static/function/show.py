"""The abstract heap states of one function, shown in the paper's notation.

After every line: for each variable its extended pointer structure, that is, for every pointer field
(named by its offset) and distance the set of variables found there. ⊥ says that there is no cell, ∅
that no variable names the one there is.
"""

from __future__ import annotations

from collections.abc import Mapping

from heapstory.cfront.program import Function, Statement
from heapstory.static.function.fixpoint import Fixpoint
from heapstory.static.heap.abstraction import VariableOrder, abstract, show
from heapstory.static.heap.names import Named
from heapstory.static.heap.state import GLOBAL, State
from heapstory.static.heap.values import Pointer, Value
from heapstory.static.transfer.frame import ProgramView

Seen = dict[tuple[int, str], dict[int, list[State]]]  # line, block -> statement -> states after it


def show_states(function: Function, program: ProgramView) -> list[str]:
    """Lines of text: the states after every line of a function, in the order of the source."""
    seen: Seen = {}
    analysis = Fixpoint(function, program)

    def watch(label: str, index: int, statement: Statement, states: list[State]) -> None:
        place = statement[1]
        if place is not None:
            at = seen.setdefault((place.line, label), {})
            at.setdefault(index, []).extend(state.copy() for state in states)

    analysis.watch = watch
    analysis.run()
    after = {where: at[max(at)] for where, at in seen.items()}
    fields = sorted({o for states in after.values() for s in states for o in _fields(s)})
    lines: list[str] = []
    for line in sorted({line for line, _ in after}):
        states = [s for (n, _), found in after.items() if n == line for s in found]
        shown = dict.fromkeys(_show(state, function.variables, fields) for state in states)
        for number, text in enumerate(shown):
            head = f"{function.place.function}:{line}" if number == 0 else "  or"
            lines.append(f"{head:>24}  {text}")
    return lines


def _fields(state: State) -> set[int]:
    return {
        offset
        for cell in state.cells.values()
        if cell.kind != GLOBAL
        for offset, value in cell.fields.items()
        if isinstance(offset, int) and isinstance(value, Pointer)
    }


def _show(state: State, names: Mapping[str, str], fields: list[int]) -> str:
    variables = _variables(state, names)
    found = abstract(state, variables, fields or [0])
    order = VariableOrder(sorted(variables))
    offsets = {field: f"+{field}" for field in fields}
    return "  ".join(f"{name}: {show(found[name], order, offsets)}" for name in order.names)


def _variables(state: State, names: Mapping[str, str]) -> dict[str, Value]:
    """Pointer variables of the source: locals, parameters, and globals that were touched."""
    found: dict[str, Value] = {}
    for register, value in state.env.items():
        name = names.get(register)
        if name and isinstance(value, Pointer):
            found[name] = value
        elif name and value == 0:
            found.setdefault(name, value)
    for identity, cell in state.cells.items():
        held = cell.fields.get(0)
        if isinstance(identity, Named) and cell.kind == GLOBAL and isinstance(held, Pointer | int):
            found[identity.text[1:].split("@", 1)[0]] = held
    return found
