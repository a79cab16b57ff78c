"""SARIF 2.1.0 for findings of any command.

A command describes its findings with the three small classes below and calls :func:`dumps`;
code-scanning services and editors then show them with the path that leads to each.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from heapstory.version import version

if TYPE_CHECKING:
    from heapstory.store.places import Place

SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
UNKNOWN = "unknown"
LEVELS = ("error", "warning", "note", "none")


@dataclass(frozen=True, slots=True)
class Location:
    """A place in the source with a message to show there."""

    path: str
    line: int
    message: str = ""
    column: int = 0
    function: str = ""


def at(place: Place | None, message: str = "") -> Location:
    """A place of a trace; where the source is not known, the module it was executed from."""
    if place is None:
        return Location(UNKNOWN, 0, message)
    path = place.path or place.module or UNKNOWN
    return Location(path, place.line or 0, message, function=place.function or "")


@dataclass(frozen=True, slots=True)
class Rule:
    """A kind of finding."""

    name: str
    text: str
    help: str = ""


@dataclass(frozen=True, slots=True)
class Result:
    """One finding. ``flow`` is the path to it, in order; ``fingerprint`` survives line shifts."""

    rule: str
    message: str
    location: Location
    level: str = "warning"
    flow: Sequence[Location] = ()
    related: Sequence[Location] = ()
    fingerprint: str = ""
    suppressed: bool = False
    properties: dict[str, Any] = field(default_factory=dict)


def dumps(results: Sequence[Result], rules: Sequence[Rule]) -> str:
    """The log as text."""
    return json.dumps(log(results, rules), indent=2, ensure_ascii=False) + "\n"


def log(
    results: Sequence[Result], rules: Sequence[Rule], root: Path | None = None
) -> dict[str, Any]:
    """The log as a JSON object. Paths below the current folder are relative to it."""
    base = Path.cwd().resolve()
    numbers = {rule.name: number for number, rule in enumerate(rules)}
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "heapstory",
                        "version": version(),
                        "semanticVersion": version(),
                        "rules": [_rule(rule) for rule in rules],
                    }
                },
                "columnKind": "utf16CodeUnits",
                "originalUriBaseIds": {"SRCROOT": {"uri": base.as_uri() + "/"}},
                "results": [_result(result, numbers, base) for result in results],
            }
        ],
    }


def _rule(rule: Rule) -> dict[str, Any]:
    made: dict[str, Any] = {"id": rule.name, "shortDescription": {"text": rule.text}}
    if rule.help:
        made["help"] = {"text": rule.help}
    return made


def _result(result: Result, numbers: dict[str, int], base: Path) -> dict[str, Any]:
    if result.level not in LEVELS:
        raise ValueError(f"not a SARIF level: {result.level}")
    made: dict[str, Any] = {
        "ruleId": result.rule,
        "level": result.level,
        "message": {"text": result.message},
        "locations": [_location(result.location, base, message=False)],
    }
    if result.rule in numbers:
        made["ruleIndex"] = numbers[result.rule]
    if result.flow:
        steps = [{"location": _location(each, base)} for each in result.flow]
        made["codeFlows"] = [{"threadFlows": [{"locations": steps}]}]
    if result.related:
        made["relatedLocations"] = [
            {"id": number, **_location(each, base)} for number, each in enumerate(result.related, 1)
        ]
    if result.fingerprint:
        made["partialFingerprints"] = {"heapstory/v1": result.fingerprint}
    if result.suppressed:
        made["suppressions"] = [{"kind": "external"}]
    if result.properties:
        made["properties"] = result.properties
    return made


def _location(location: Location, base: Path, message: bool = True) -> dict[str, Any]:
    physical: dict[str, Any] = {"artifactLocation": _artifact(location.path, base)}
    if location.line > 0:
        region = {"startLine": location.line}
        if location.column > 0:
            region["startColumn"] = location.column
        physical["region"] = region
    made: dict[str, Any] = {"physicalLocation": physical}
    if location.function:
        made["logicalLocations"] = [{"name": location.function, "kind": "function"}]
    if message and location.message:
        made["message"] = {"text": location.message}
    return made


def _artifact(text: str, base: Path) -> dict[str, str]:
    path = Path(text)
    if not path.is_absolute():
        path = base / path
    try:
        return {"uri": path.relative_to(base).as_posix(), "uriBaseId": "SRCROOT"}
    except ValueError:
        return {"uri": path.as_uri()}
