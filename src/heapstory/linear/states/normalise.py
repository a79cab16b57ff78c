"""Validated-read normalisation: a pure read moves into a later step where it reads the same.

A read that every later check confirms did not need to happen early. Step r is merged into step t
when, in every state where t runs and all instances can complete, doing r there ends as before.
"""

from __future__ import annotations

from heapstory.linear.language.binding import reads_writes
from heapstory.linear.program.steps import Path, Program, Step, merge
from heapstory.linear.states.explore import Edge, Graph
from heapstory.linear.states.layout import State
from heapstory.linear.states.machine import Machine


def normalise(graph: Graph) -> Program:
    """The program with validated reads merged into the steps that validate them."""
    return merged(graph.machine.program, _refuted(graph))


def merged(program: Program, refuted: set[tuple[int, int, int]]) -> Program:
    """The program with reads r … t-1 of a path merged into step t, where not refuted."""
    groups = {}
    for number, path in enumerate(program.paths):
        groups[path.name] = _groups(path, number, refuted)
    return merge(program, groups)


def movable(path: Path, first: int, target: int) -> bool:
    """Whether steps first … target-1 are pure reads whose inputs none of them overwrites."""
    run = path.steps[first:target]
    if not all(step.pure and not step.returns for step in run):
        return False
    for i, step in enumerate(run):
        needs = step_needs(step)
        later = set().union(*(step_sets(s) for s in run[i:]))
        if needs & later:
            return False
    return True


def step_needs(step: Step) -> set[str]:
    """The locals a step takes from before."""
    needed: set[str] = set()
    have: set[str] = set()
    for sub in step.parts:
        needs, sets = reads_writes(sub)
        needed |= needs - have
        have |= sets
    return needed


def step_sets(step: Step) -> set[str]:
    """The locals a step sets."""
    return set().union(*(reads_writes(sub)[1] for sub in step.parts))


def _refuted(graph: Graph) -> set[tuple[int, int, int]]:
    # (path, r, t): in some completable run, doing r just before t would read something else
    machine = graph.machine
    paths = machine.program.paths
    wanted = {
        (number, r, t)
        for number, path in enumerate(paths)
        for t in range(1, len(path.steps))
        for r in range(t)
        if movable(path, r, t)
    }
    refuted: set[tuple[int, int, int]] = set()
    for number, state in enumerate(graph.states):
        if not graph.live[number]:
            continue
        for edge in graph.edges[number]:
            if edge.arguments is not None or not graph.live[edge.target]:
                continue
            for r in range(edge.pc):
                key = (edge.path, r, edge.pc)
                if key in wanted and key not in refuted and not _same(machine, state, edge, r):
                    refuted.add(key)
    return refuted | (_all(paths) - wanted)


def _all(paths: tuple[Path, ...]) -> set[tuple[int, int, int]]:
    return {(n, r, t) for n, p in enumerate(paths) for t in range(len(p.steps)) for r in range(t)}


def _same(machine: Machine, state: State, edge: Edge, r: int) -> bool:
    """Whether steps r … t, all run now, can end as step t ended with the reads of before."""
    slot = edge.slot
    number, _, *values = state[3][slot]
    kept = [v if live else 0 for v, live in zip(values, machine.mask(number, r), strict=True)]
    instances = (*state[3][:slot], (number, r, *kept), *state[3][slot + 1 :])
    before = (*state[:3], instances, state[4])
    frontier: list[tuple[State, object]] = [(before, None)]
    for _ in range(r, edge.pc + 1):
        frontier = [(m[3], m[4]) for before, _ in frontier for m in machine.run(before, slot)]
    old = len(state[2])
    wanted = machine.signature(machine.forget(edge.raw, slot), old)
    return any(
        answer == edge.result and machine.signature(machine.forget(after, slot), old) == wanted
        for after, answer in frontier
    )


def _groups(path: Path, number: int, refuted: set[tuple[int, int, int]]) -> list[list[int]]:
    # From the back: each step takes as many of the reads before it as it validates.
    groups: list[list[int]] = []
    t = len(path.steps) - 1
    while t >= 0:
        r = t
        while r > 0 and (number, r - 1, t) not in refuted:
            r -= 1
        groups.insert(0, list(range(r, t + 1)))
        t = r - 1
    return groups
