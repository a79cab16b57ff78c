"""Units put together by symbol: the program that is analysed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from heapstory.cfront.frontend import Compiled
from heapstory.cfront.program import Function
from heapstory.static.program.component import FunctionResult
from heapstory.static.program.index import Index, allocator_hooks
from heapstory.static.transfer.models import Models


@dataclass(slots=True)
class ProgramResult:
    """What was found, and what was not seen."""

    results: dict[str, FunctionResult] = field(default_factory=dict)
    skipped: list[tuple[str, str]] = field(default_factory=list)  # unit, reason
    limited: list[str] = field(default_factory=list)  # functions given up
    # Functions nobody has, with the number of blocks they were given; most first.
    unknown: list[tuple[str, int]] = field(default_factory=list)
    functions: int = 0
    lines: int = 0
    shown: list[str] = field(default_factory=list)  # the states of the function asked for
    pointers: frozenset[str] = frozenset()  # functions that return one, by their plain name
    reused: int = 0  # functions whose answers were kept from an earlier run


def link(
    compiled: Iterable[Compiled], models: Models, found: ProgramResult, complete: bool
) -> tuple[dict[str, Function], Index]:
    """Put units together by symbol. A second definition (each program's own ``main``) keeps its
    unit's name; its own unit calls it, others the first one."""
    index = Index(models)
    functions: dict[str, Function] = {}
    for each in compiled:
        if each.unit is None:
            found.skipped.append((each.job.source, each.problem))
            continue
        found.lines += each.unit.lines
        index.add(each.unit, each.members or {})
        for name, function in each.unit.functions.items():
            function.unit = each.unit.path
            if name in functions:
                function.name = f"{name}@{each.unit.path}"
                index.aliases[each.unit.path, name] = function.name
            functions[function.name] = function
    hooks = allocator_hooks(functions.values(), index)
    index.constants.close(index.internals, complete and not found.skipped, hooks)
    found.functions = len(functions)
    found.pointers = frozenset(f.place.function for f in functions.values() if f.returns_pointer)
    return functions, index
