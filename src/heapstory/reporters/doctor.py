"""The answer of ``doctor``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from heapstory.reporters.style import PLAIN, Style

if TYPE_CHECKING:
    from heapstory.recording.checks import Check


def body(found: Sequence[Check], healthy: bool) -> dict[str, Any]:
    """The body of ``doctor --json``."""
    return {"healthy": healthy, "checks": [asdict(check) for check in found]}


def text(found: Sequence[Check], style: Style = PLAIN) -> str:
    """One line per thing, with its remedy where it is missing."""
    lines = []
    for check in found:
        word = "ok" if check.ok else "MISSING" if check.required else "absent"
        colour = style.green if check.ok else style.red if check.required else style.dim
        lines.append(f"{colour(f'{word:<7}')}  {check.name:<12}  {check.found}")
        if check.remedy:
            lines.append(f"{'':<23}needed for {check.needed_for}: {check.remedy}")
    return "\n".join(lines) + "\n"
