"""Why a slice has no statement."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heapstory.slicing.beyond import begins_late

if TYPE_CHECKING:
    from heapstory._core import Explanation, Slicer
    from heapstory.slicing.naming import Naming
    from heapstory.slicing.options import Options
    from heapstory.trace import Trace


def why_empty(
    trace: Trace, slicer: Slicer, naming: Naming, found: Explanation, options: Options
) -> str:
    """In one sentence."""
    if options.through:
        return "nothing led to the criterion through there (--through)"
    if found["instructions"]:
        return (
            "no statement of the program's own led to it, only code without lines (libraries, the "
            "loader): a variable that was never set holds what such code left there"
        )
    if not options.data:
        return "no decision led to it (--control-only)"
    if begins_late(trace) and (found["unresolved_memory"] or found["unresolved_registers"]):
        return "nothing in the stream wrote it: its value is from before the stream began"
    if found["unresolved_memory"]:
        address, size = found["unresolved_memory"][0]
        name = naming.memory(address, size, None, 0).name or f"{address:#x}"
        return f"nothing in the run wrote {name}: {_initial(trace, slicer, address)}"
    if found["unresolved_registers"]:
        return (
            "no statement wrote it: it holds what a register held when the program began (a "
            "variable that was never set, or a register that the program never wrote)"
        )
    return "it depends on nothing: a constant"


def _initial(trace: Trace, slicer: Slicer, address: int) -> str:
    at = trace.core.node_at(address, slicer.timestamp(slicer.end[0]))
    kind = None if at is None else trace.node(at).kind
    if kind == "global":
        return "it has the value that it is initialised with"
    if kind == "heap":
        return "it holds what was there when the block was allocated (uninitialised)"
    return (
        "it was there when the program began (arguments, environment, constants of the program), "
        "or is uninitialised"
    )
