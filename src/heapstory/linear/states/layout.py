"""What a state is made of, and what kind of value each part of it holds.

A state is ``(globals, arrays, heap, instances, started)``:

    globals     one value per scalar global
    arrays      per array, the sorted (index, value) pairs that differ from 0
    heap        heap[0] is None (so NULL cannot be followed), heap[p] = (struct, field…[, freed])
    instances   (path, pc, name, local…) per pending instance; None where one has finished
    started     how many instances have started so far
"""

from __future__ import annotations

from typing import Any

from heapstory.linear.program.kinds import kinds_of
from heapstory.linear.program.needed import picked_structs
from heapstory.linear.program.steps import Program

State = tuple[Any, ...]


class Layout:
    """Where a program's variables are in a state, and their kinds."""

    def __init__(self, program: Program) -> None:
        spec = program.spec
        self.structs = list(spec.structs)
        self.scalars = [v for v in spec.globals if not v.array]
        self.arrays = [v for v in spec.globals if v.array]
        self.global_slot = {v.name: i for i, v in enumerate(self.scalars)}
        self.array_slot = {v.name: i for i, v in enumerate(self.arrays)}
        self.static = [v.name for v in spec.static]
        self.static_address = {name: i + 1 for i, name in enumerate(self.static)}
        self.local_slot = [
            {v.name: i + 1 for i, v in enumerate((*p.operation.parameters, *p.operation.locals))}
            for p in program.paths
        ]
        self.kinds = kinds = kinds_of(spec)
        self.global_kinds = [kinds.of(("g", v.name)) for v in self.scalars]
        self.array_kinds = [(kinds.of(("i", v.name)), kinds.of(("a", v.name))) for v in self.arrays]
        self.field_kinds = [
            [kinds.of(("f", s, f.name)) for f in spec.fields(s)] for s in self.structs
        ]
        self.local_kinds = [
            ["id", *(kinds.of(("l", p.operation.name, n)) for n in self.local_slot[i])]
            for i, p in enumerate(program.paths)
        ]
        # Arrays of nodes that some step picks from: all their entries count, whoever made them.
        picked = picked_structs(spec)
        self.keeps = {i for i, v in enumerate(self.arrays) if v.type in picked}
