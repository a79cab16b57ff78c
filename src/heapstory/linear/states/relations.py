"""Pairwise ordering and reversibility, derived from the reachable states.

``a ≀ b``: in some state b runs right after a, in another instance. ``a ⊖ b``: wherever a·b runs,
b·a runs too and ends in the same state with the same answers. Only states count from which every
instance can complete: an operation is a successful execution.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from heapstory.linear.budget import Budget
from heapstory.linear.states.explore import Edge, Graph
from heapstory.linear.states.layout import State
from heapstory.linear.states.machine import FRESH, Move

Ref = tuple[int, int]  # (path, step)


@dataclass
class Relations:
    """The two relations over all steps of a program."""

    steps: list[Ref]
    ordered: set[tuple[Ref, Ref]] = field(default_factory=set)
    irreversible: set[tuple[Ref, Ref]] = field(default_factory=set)

    def order(self, a: Ref, b: Ref) -> bool:
        """a ≀ b"""
        return (a, b) in self.ordered

    def reverse(self, a: Ref, b: Ref) -> bool:
        """a ⊖ b: both orders occur and lead to the same."""
        pairs = ((a, b), (b, a))
        return all(p in self.ordered for p in pairs) and (a, b) not in self.irreversible


def derive(graph: Graph, budget: Budget) -> Relations:
    """The relations that hold in the states of the graph."""
    paths = graph.machine.program.paths
    steps = [(i, j) for i, path in enumerate(paths) for j in range(len(path.steps))]
    relations = Relations(steps)
    for number, live in enumerate(graph.live):
        if number % 64 == 0:
            budget.check("deriving the relations")
        if live:
            for edge in graph.edges[number]:
                if graph.live[edge.target]:
                    _follow(graph, number, edge, relations)
    return relations


def _follow(graph: Graph, number: int, edge: Edge, relations: Relations) -> None:
    a = (edge.path, edge.pc)
    machine = graph.machine
    for move in machine.moves(edge.raw, graph.limit, base=2 * FRESH):
        if move[0] == edge.slot:
            continue
        pair = (a, (move[1], move[2]))
        if pair in relations.ordered and pair in relations.irreversible:
            continue
        key = machine.canonical(move[3])
        if not graph.is_live(key):
            continue
        relations.ordered.add(pair)
        if pair not in relations.irreversible and not swaps(graph, number, edge, move):
            relations.irreversible.add(pair)


def swaps(graph: Graph, number: int, edge: Edge, move: Move) -> bool:
    """Whether the two steps, the other way round, end in the same state with the same answers."""
    state, machine = graph.states[number], graph.machine
    old = len(state[2])
    wanted = machine.signature(move[3], old)
    first = (edge.slot, edge.path, edge.pc, edge.raw, edge.result, edge.arguments)
    for middle in _again(graph, state, move, 2 * FRESH):
        if middle[4] != move[4]:
            continue
        for final in _again(graph, middle[3], first, FRESH):
            if final[4] == edge.result and machine.signature(final[3], old) == wanted:
                return True
    return False


def _again(graph: Graph, state: State, move: Move, base: int) -> Iterator[Move]:
    # The same step from another state: a pending instance keeps its slot, a new one starts anew
    # with the arguments it had.
    if move[5] is None:
        return graph.machine.run(state, move[0])
    return graph.machine.start(state, move[1], base, move[5])
