"""The values that fields were seen to have."""

from __future__ import annotations

from heapstory.constraints.binding.layout import Scalar
from heapstory.constraints.plan import Kind
from heapstory.inference.checking import Run, sample
from heapstory.inference.facts import TypeFacts

NODES = 400  # of a type, at each moment


def read_values(run: Run, known: dict[str, TypeFacts]) -> dict[str, dict[str, list[int]]]:
    """Distinct values by type and field, ascending, over some nodes at a few C-points."""
    lines = [facts.type_line() for facts in known.values()]
    # Every node violates this, so that its inconsistencies are the nodes.
    lines += [f"{name} X; {name}: X == NULL;" for name in known]
    plan, structure, points = run.load("\n".join(lines))
    found: dict[str, dict[str, set[int]]] = {name: {} for name in known}
    for point in sample(points, 5):
        seen = dict.fromkeys(known, 0)
        for inconsistency in structure.check(point.timestamp):
            name = plan.constraints[inconsistency.constraint].name
            if name in known and seen[name] < NODES:
                seen[name] += 1
                place = inconsistency.binding[0]
                assert isinstance(place, tuple)  # a variable, not the number of a loop
                _read(run, known[name], *place, point.timestamp, found[name])
    return {
        name: {field: sorted(values) for field, values in fields.items()}
        for name, fields in found.items()
    }


def _read(
    run: Run, facts: TypeFacts, node: int, base: int, at: int, found: dict[str, set[int]]
) -> None:
    described = run.trace.core.node(node)
    if described is None:
        return
    for part in facts.layout.parts:
        read = part.name in facts.numbers or part.name in facts.words
        if isinstance(part, Scalar) and read and not part.bit_size:
            where = described["address"] + base + part.offset
            data = run.trace.core.value(where, part.size, at)
            if data is not None:
                signed = part.kind is Kind.INT
                found.setdefault(part.name, set()).add(
                    int.from_bytes(data, "little", signed=signed)
                )
