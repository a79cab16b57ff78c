"""The enumeration of states against an interpreter that does nothing but interleave."""

from __future__ import annotations

from hypothesis import assume, given
from hypothesis import strategies as st

from heapstory.errors import SpecificationError
from heapstory.linear.budget import Budget
from heapstory.linear.language.syntax import Specification
from heapstory.linear.program.load import parse
from heapstory.linear.program.needed import needed_cells
from heapstory.linear.program.steps import prepare
from heapstory.linear.states.explore import Graph, explore
from heapstory.linear.states.machine import Machine
from tests.linear import LONG
from tests.linear.naive import Ending, endings
from tests.linear.random_specifications import specification
from tests.support.examples import examples


def explored(spec: Specification, count: int) -> tuple[Machine, Graph]:
    machine = Machine(prepare(spec))
    return machine, explore(machine, count, Budget(LONG))


def ended(machine: Machine, graph: Graph, count: int) -> set[Ending]:
    """The ways from the first state to those in which all have finished, with what was answered."""
    found: set[Ending] = set()
    first: tuple[int, tuple[tuple[str, tuple[int, ...]], ...]] = (0, ())
    todo, seen = [first], {first}
    while todo:
        number, answers = todo.pop()
        state = graph.states[number]
        if not state[3] and state[4] == count:
            found.add((state[0], answers))
        for edge in graph.edges[number]:
            path = machine.program.paths[edge.path]
            said = answers
            if edge.pc == path.response:
                result = tuple(edge.result) if isinstance(edge.result, tuple) else ()
                said = tuple(sorted([*answers, (path.operation.name, result)]))
            after = (edge.target, said)
            if after not in seen:
                seen.add(after)
                todo.append(after)
    return found


def plain(text: str) -> bool:
    """Whether the naive interpreter knows all that occurs."""
    return not any(word in text for word in ("struct", "lock", "(int p)"))


def only_numbers(machine: Machine) -> bool:
    """Whether nothing is renamed, so that values can be compared."""
    kinds = {
        *machine.layout.global_kinds,
        *(k for ks in machine.layout.local_kinds for k in ks[1:]),
    }
    return kinds <= {"int"}


@examples(80)
@given(seed=st.integers(min_value=0, max_value=10**6), count=st.sampled_from([1, 2, 2, 3]))
def test_runs_end_as_they_do_when_only_interleaved(seed: int, count: int) -> None:
    text = specification(seed)
    assume(plain(text))
    try:
        spec = parse(text)
    except SpecificationError:
        assume(False)
    machine, graph = explored(spec, count)
    assume(only_numbers(machine))
    needed = needed_cells(spec)  # the others may hold anything
    kept = [i for i, v in enumerate(spec.globals) if ("g", v.name) in needed]

    def shown(found: set[Ending]) -> set[Ending]:
        return {(tuple(values[i] for i in kept), answers) for values, answers in found}

    assert shown(ended(machine, graph, count)) == shown(endings(spec, count))
