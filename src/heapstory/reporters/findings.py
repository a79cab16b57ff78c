"""What reports of findings share: blocks and stacks as JSON, as SARIF and as lines of text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from heapstory.checks.finding import Block, Finding, Stack, statement
from heapstory.reporters.json import place
from heapstory.store.places import Place

if TYPE_CHECKING:
    from heapstory.reporters.sarif import Location, Result, Rule


def block_json(block: Block | None) -> dict[str, Any] | None:
    """A block with the stacks of its birth and its death."""
    if block is None:
        return None
    return {
        "address": hex(block.address),
        "size": block.size,
        "allocated": stack_json(block.allocated),
        "freed": None if block.freed is None else stack_json(block.freed),
    }


def stack_json(stack: Stack) -> list[dict[str, Any] | None]:
    """The places of a stack, innermost first."""
    return [place(each) for each in stack]


def rules(headlines: dict[str, str]) -> list[Rule]:
    """One rule per kind."""
    from heapstory.reporters.sarif import Rule

    return [Rule(kind, f"{text[0].upper()}{text[1:]}") for kind, text in headlines.items()]


def result(finding: Finding, message: str, level: str) -> Result:
    """A finding, with the stack that led to it as a code flow."""
    from heapstory.reporters.sarif import Result, at

    related: list[Location] = []
    if finding.block:
        related.append(at(statement(finding.block.allocated), "the block was allocated here"))
        if finding.block.freed:
            related.append(at(statement(finding.block.freed), "and freed here"))
    return Result(
        finding.kind,
        message,
        at(finding.place),
        level,
        [at(each) for each in reversed(finding.stack)],
        related,
        finding.fingerprint,
        finding.suppressed is not None,
        {"count": finding.count, "address": hex(finding.address)},
    )


def stack_text(word: str, stack: Stack, most: int) -> Iterator[str]:
    """The innermost frames, one a line; a word says what of."""
    for number, each in enumerate(stack[:most]):
        yield f"  {word if number == 0 else '':>9}  {frame(each)}"


def frame(place: Place) -> str:
    """One frame: statement and function, as far as they are known."""
    if place.path and place.line and place.function:
        return f"{place} ({place.function})"
    return str(place)
