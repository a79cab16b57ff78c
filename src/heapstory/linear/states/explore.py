"""The reachable states of up to N operation instances, and which of them can be completed."""

from __future__ import annotations

from dataclasses import dataclass

from heapstory.linear.budget import Budget, OutOfBudget
from heapstory.linear.states.layout import State
from heapstory.linear.states.machine import Machine


@dataclass
class Edge:
    """One step in the graph: who ran what, the raw next state, its number, and the answer."""

    slot: int
    path: int
    pc: int
    raw: State
    target: int
    result: object
    arguments: object = None


@dataclass
class Graph:
    """Reachable states up to symmetry. ``live[i]``: all instances of state i can complete."""

    machine: Machine
    limit: int
    states: list[State]
    index: dict[State, int]
    edges: list[list[Edge]]
    live: list[bool]

    def is_live(self, state: State) -> bool:
        """Whether a state given in canonical form can be completed.

        Renaming is a heuristic, so a state may have a second form that is not in the index; then
        its successors are looked at until one is.
        """
        seen, todo = {state}, [state]
        while todo:
            current = todo.pop()
            number = self.index.get(current)
            if number is not None:
                if self.live[number]:
                    return True
                continue
            if not current[3]:
                return True
            for move in self.machine.moves(current, self.limit):
                after = self.machine.canonical(move[3])
                if after not in seen:
                    seen.add(after)
                    todo.append(after)
        return False


def explore(machine: Machine, limit: int, budget: Budget) -> Graph:
    """Enumerate the states of at most ``limit`` instances."""
    first = machine.initial()
    states, index = [first], {first: 0}
    edges: list[list[Edge]] = []
    number = 0
    while number < len(states):
        if number % 256 == 0:
            budget.check(f"enumerating states of {limit} operations ({len(states)} so far)")
            if len(states) > budget.states:
                message = f"more than {budget.states} states with {limit} operations"
                raise OutOfBudget(f"{message}: the state space explodes")
        out = []
        for slot, path, pc, raw, result, arguments in machine.moves(states[number], limit):
            key = machine.canonical(raw)
            target = index.get(key)
            if target is None:
                target = index[key] = len(states)
                states.append(key)
            out.append(Edge(slot, path, pc, raw, target, result, arguments))
        edges.append(out)
        number += 1
    return Graph(machine, limit, states, index, edges, _live(states, edges))


def _live(states: list[State], edges: list[list[Edge]]) -> list[bool]:
    # Backwards from the states where nothing is pending.
    sources: list[list[int]] = [[] for _ in states]
    for number, out in enumerate(edges):
        for edge in out:
            sources[edge.target].append(number)
    live = [not state[3] for state in states]
    todo = [number for number, good in enumerate(live) if good]
    while todo:
        for source in sources[todo.pop()]:
            if not live[source]:
                live[source] = True
                todo.append(source)
    return live
