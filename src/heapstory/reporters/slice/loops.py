"""The answer of ``loops``: text and JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heapstory.reporters.style import Style
from heapstory.reporters.text import count

if TYPE_CHECKING:
    from heapstory.slicing.loops import Carried, Loop, LoopAnswer
    from heapstory.slicing.pairs import LoadPairs

_WORDS = {
    "flow": "needs what an earlier iteration made",
    "anti": "writes over what an earlier iteration reads",
    "control": "goes on only if the data of earlier iterations let it",
    "reduction": "is only combined by an associative operation",
}


def body(answer: LoopAnswer) -> dict[str, Any]:
    """The members of the JSON object."""
    return {
        "trace_instructions": answer.instructions,
        "loops": [_loop_body(loop) for loop in answer.loops],
        "pairs": _pairs_body(answer.pairs) if answer.pairs else None,
    }


def _pairs_body(found: LoadPairs) -> dict[str, Any]:
    return {
        "memory": found.memory,
        "loads": found.loads,
        "complete": found.complete,
        "pairs": [
            {
                "first": one.first.as_json(),
                "second": one.second.as_json(),
                "kind": one.kind,
                "count": one.count,
            }
            for one in found.pairs
        ],
    }


def _loop_body(loop: Loop) -> dict[str, Any]:
    return {
        "place": loop.place.as_json(),
        "address": hex(loop.address),
        "entered": loop.entered,
        "iterations": loop.iterations,
        "verdict": loop.verdict,
        "reason": loop.reason,
        "inside": loop.inside.as_json() if loop.inside else None,
        "first_iteration": loop.first_iteration,
        "carried": [
            {
                "kind": one.kind,
                "name": one.name,
                "from": one.source.as_json(),
                "to": one.target.as_json(),
                "distance": one.distance,
                "farthest": one.farthest,
                "count": one.count,
            }
            for one in loop.carried
        ],
    }


def text(answer: LoopAnswer, style: Style) -> str:
    """A paragraph for every loop."""
    told = "".join(_paragraph(loop, style) for loop in answer.loops)
    if not told:
        told = "no loop of the program's own code ran in the stream\n"
    return told + (_pairs(answer.pairs, style) if answer.pairs else "")


def _pairs(found: LoadPairs, style: Style) -> str:
    loads = count(found.loads, "load")
    lines = [f"{style.bold(found.memory)}: {loads}, {count(len(found.pairs), 'dependent pair')}"]
    words = {"address": "loads from where it says", "control": "runs only if it lets it"}
    lines += [
        f"    {one.first}, then {one.second}: {words[one.kind]} ({one.count:,} ×)"
        for one in found.pairs
    ]
    if not found.complete:
        lines.append("    there may be more: some values came from too many loads")
    return "\n".join(lines) + "\n"


def _paragraph(loop: Loop, style: Style) -> str:
    colour = {"carried": style.red, "independent": style.green}.get(loop.verdict, style.bold)
    where = f"{loop.place}" + (f" in {loop.place.function}" if loop.place.function else "")
    times = f"entered {loop.entered:,} ×, {count(loop.iterations, 'iteration')}"
    lines = [f"{style.bold(where)}: {colour(loop.verdict)} ({times})"]
    if loop.reason:
        lines.append(f"    {loop.reason}")
    counted = [one.name for one in loop.carried if one.kind == "induction"]
    lines += [f"    {_line(one)}" for one in loop.carried if one.kind != "induction"]
    if counted:
        names = ", ".join(dict.fromkeys(name or "something" for name in counted))
        lines.append(f"    induction: {names} (follows from the number of the iteration)")
    if loop.first_iteration is not None and not loop.reason:
        lines.append(f"    {style.dim(_reached(loop.first_iteration))}")
    return "\n".join(lines) + "\n"


def _line(one: Carried) -> str:
    what = one.name or "something"
    if one.kind == "control":
        return f"control: the branch at {one.source} {_WORDS['control']}"
    ways = f"{one.source} to {one.target}" if one.source != one.target else f"{one.source}"
    far = f"{one.distance}" if one.distance == one.farthest else f"{one.distance} to {one.farthest}"
    return f"{one.kind}: {what} {_WORDS[one.kind]} ({ways}, distance {far})"


def _reached(executions: int) -> str:
    if not executions:
        return "the forward slice of the first iteration reaches no later one"
    return (
        "the forward slice of the first iteration reaches later ones "
        f"({count(executions, 'instruction')})"
    )
