"""Joint completability: whoever has had an effect can still finish, together with all others.

Reordering complete histories says nothing of an operation that changed shared state and can never
finish: a finished one may have seen that change. So from every reachable state, after striking out
the instances that have not yet answered and have changed nothing (their locks given back), some
continuation must complete all that remain. The continuation may start more operations, but not
more than the bound: the relations are known for that many only.
"""

from __future__ import annotations

from typing import Any

from heapstory.linear.program.locks import lock_cells
from heapstory.linear.states.explore import Graph
from heapstory.linear.states.layout import State
from heapstory.linear.states.machine import Machine


def incompletable(graph: Graph) -> int | None:
    """The number of a state with an effect that can never be completed, or None."""
    machine = graph.machine
    locks = lock_cells(machine.spec)
    for number, state in enumerate(graph.states):
        if graph.live[number]:
            continue
        struck = machine.canonical(_strike(machine, state, locks))
        if not graph.is_live(struck):
            return number
    return None


def _strike(machine: Machine, state: State, locks: set[tuple[str, ...]]) -> State:
    globals_, arrays, heap, instances, started = state
    struck = {i[2] for i in instances if not _counts(machine, i)}
    kept = tuple(i for i in instances if i[2] not in struck)
    if locks and struck:
        globals_, arrays, heap = _unlock(machine, (globals_, arrays, heap), locks, struck)
    return (globals_, arrays, heap, kept, started - len(struck))


def _counts(machine: Machine, instance: tuple[int, ...]) -> bool:
    path = machine.program.paths[instance[0]]
    pc = instance[1]
    return pc > path.response or any(step.effect for step in path.steps[:pc])


def _unlock(
    machine: Machine, shared: tuple[Any, Any, Any], locks: set[tuple[str, ...]], names: set[int]
) -> tuple[Any, Any, Any]:
    globals_, arrays, heap = shared

    def freed(cell: tuple[str, ...], value: int) -> int:
        return 0 if cell in locks and value in names else value

    new_globals = tuple(
        freed(("g", v.name), x) for v, x in zip(machine.layout.scalars, globals_, strict=True)
    )
    new_arrays = tuple(
        tuple((k, x) for k, x in table if freed(("a", v.name), x) != 0)
        for v, table in zip(machine.layout.arrays, arrays, strict=True)
    )
    new_heap: list[Any] = [None]
    for node in heap[1:]:
        struct = machine.layout.structs[node[0]]
        fields = machine.spec.fields(struct)
        values = [freed(("f", struct, f.name), x) for f, x in zip(fields, node[1:], strict=False)]
        new_heap.append((node[0], *values, *node[1 + len(fields) :]))
    return new_globals, new_arrays, tuple(new_heap)
