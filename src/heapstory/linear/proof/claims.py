"""What the user says of the relations, checked: with the enumerated states, and where a proof is
asked for, with invariants for any number of operations.

A claim is about two sub-operations as they are written, before reads are merged. Its premises
restrict it to pairs of instances whose locals stand in a certain way, as in section 6.5 of the
thesis: the same two steps may be reversible where they are at different nodes and not at one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from heapstory.errors import SpecificationError
from heapstory.linear.budget import Budget
from heapstory.linear.formulas.symbolic import compare
from heapstory.linear.language.show import show, show_table
from heapstory.linear.language.syntax import Condition, Const, Local, Specification, Table
from heapstory.linear.program.steps import Program, live_locals
from heapstory.linear.proof.unbounded import Pairs
from heapstory.linear.states.explore import Graph
from heapstory.linear.states.layout import State
from heapstory.linear.states.machine import FRESH, Move
from heapstory.linear.states.relations import Ref, swaps


@dataclass
class Claim:
    """A claim that holds, and how far that is known."""

    text: str
    bound: int | None  # None: for any number of operations


def check_claims(spec: Specification, graph: Graph, budget: Budget) -> list[Claim]:
    """All claims hold in the states of the graph, or a `SpecificationError` says which does not."""
    found = []
    for table in spec.tables:
        pair = _refs(spec, graph.machine.program, table)
        ordered, reversible = _bounded(graph, table, pair, budget)
        if table.relation == "reverse" and not ordered:  # nothing speaks for or against it
            found.append(Claim(f"{show_table(table)} (never ran)", graph.limit))
            continue
        holds = ordered if table.relation == "order" else reversible
        if holds != table.holds:
            said = "holds" if holds else "does not hold"
            message = f"{_pair_text(table)} {said} (up to {graph.limit} operations)"
            raise _error(spec, table, message)
        found.append(Claim(show_table(table), graph.limit))
    return found


def prove_claims(spec: Specification, pairs: Pairs, claims: list[Claim]) -> None:
    """Note which claims hold for any number of operations: that a pair is not ordered, or that it
    is reversible. (That it is ordered, or not reversible, a single history shows.)"""
    for table, claim in zip(spec.tables, claims, strict=True):
        first, second = _refs(spec, pairs.program, table)
        ordered, reversible = pairs.pair(
            pairs.moves[first], second, _premises(pairs, table, first, second)
        )
        never = table.relation == "order"
        if table.holds == never:  # a single history showed it, unless the pair never ran
            certain = not claim.text.endswith("(never ran)")
        else:
            certain = not ordered if never else reversible
        if certain:
            claim.bound = None


def _pair_text(table: Table) -> str:
    sign = "≀" if table.relation == "order" else "⊖"
    when = show_table(table).partition(" if ")[2]
    return f"{table.first} {sign} {table.second}" + (f" if {when}" if when else "")


def _error(spec: Specification, table: Table, message: str) -> SpecificationError:
    where = table.position
    return SpecificationError(message, spec.path, spec.source, where.line, where.column)


def _refs(spec: Specification, program: Program, table: Table) -> tuple[Ref, Ref]:
    at = {
        step.label: (number, pc)
        for number, path in enumerate(program.paths)
        for pc, step in enumerate(path.steps)
    }
    for label in (table.first, table.second):
        if label not in at:
            raise _error(spec, table, f"'{label}' is local: it has no relations")
    first, second = at[table.first], at[table.second]
    for who, (number, pc) in (("first", first), ("second", second)):
        path = program.paths[number]
        known = live_locals(path)[pc] | {p.name for p in path.operation.parameters}
        if pc == 0:
            known = {p.name for p in path.operation.parameters}
        for condition in table.premises:
            for side in (condition.left, condition.right):
                name = show(side)
                if name.startswith(f"{who}.") and name.partition(".")[2] not in known:
                    message = f"'{name}' has no value that counts before '{path.steps[pc].label}'"
                    raise _error(spec, table, message)
    return first, second


# -- enumerated states ----------------------------------------------------------------------------


def _bounded(
    graph: Graph, table: Table, pair: tuple[Ref, Ref], budget: Budget
) -> tuple[bool, bool]:
    ordered, reversible = False, True
    for number, live in enumerate(graph.live):
        if number % 64 == 0:
            budget.check("checking a claim")
        for edge in graph.edges[number] if live else ():
            if (edge.path, edge.pc) != pair[0] or not graph.live[edge.target]:
                continue
            for move in graph.machine.moves(edge.raw, graph.limit, base=2 * FRESH):
                if move[0] == edge.slot or (move[1], move[2]) != pair[1]:
                    continue
                if not _meant(graph, table, graph.states[number], edge.slot, edge.arguments, move):
                    continue
                if graph.is_live(graph.machine.canonical(move[3])):
                    ordered = True
                    reversible = reversible and swaps(graph, number, edge, move)
    return ordered, reversible


def _meant(graph: Graph, table: Table, state: State, slot: int, arguments: Any, move: Move) -> bool:
    """Whether the premises hold of two instances in a state."""
    sides = {
        "first": _locals(graph, state, slot, arguments, table.first),
        "second": _locals(graph, state, move[0], move[5], table.second),
    }

    def value(side: Any) -> Any:
        if isinstance(side, Const):
            return side.value
        who, _, name = side.name.partition(".")
        return sides[who][name]

    return all(compare(c, value(c.left), value(c.right)) for c in table.premises)


def _locals(graph: Graph, state: State, slot: int, arguments: Any, label: str) -> dict[str, Any]:
    if arguments is not None:  # it starts with this step: it has its arguments only
        path = next(p for p in graph.machine.program.paths if p.steps and p.steps[0].label == label)
        return dict(zip((p.name for p in path.operation.parameters), arguments, strict=True))
    number, _, _, *values = state[3][slot]
    operation = graph.machine.program.paths[number].operation
    return dict(
        zip((v.name for v in (*operation.parameters, *operation.locals)), values, strict=True)
    )


# -- any number of operations ---------------------------------------------------------------------


def _premises(pairs: Pairs, table: Table, first: Ref, second: Ref) -> list[Any]:
    runs = pairs.houdini.runs
    who = {"first": runs.actor(first[0]), "second": runs.actor(second[0], "watcher")}

    def value(side: Any) -> Any:
        if isinstance(side, Const):
            return pairs.z3.IntVal(side.value)
        assert isinstance(side, Local)
        name, _, local = side.name.partition(".")
        return who[name].locals[local]

    def formula(condition: Condition) -> Any:
        return compare(condition, value(condition.left), value(condition.right))

    return [formula(c) for c in table.premises]
