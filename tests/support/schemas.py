"""Answers against the schemas in the package, closed: a member that no schema names is an error."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from jsonschema import Draft4Validator, Draft202012Validator
from referencing import Registry, Resource

from heapstory import schemas
from tests.support.programs import ROOT

# OASIS' own schema of SARIF 2.1.0, with which make setup installs a package of npm.
SARIF = ROOT / "viewer/node_modules/@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json"
MOST = 1_000_000  # characters: of larger answers, smaller ones of the same writer are checked


def closed(schema: Any) -> Any:
    """The schema with no members beyond those it names."""
    if isinstance(schema, list):
        return [closed(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    made = {name: closed(item) for name, item in schema.items()}
    if schema.get("type") == "object" and isinstance(schema.get("properties"), dict):
        made["additionalProperties"] = False
    return made


@cache
def validator(name: str) -> Draft202012Validator:
    loaded = {each: closed(schemas.load(each)) for each in schemas.names()}
    registry: Registry[Any] = Registry().with_resources(
        (schema["$id"], Resource.from_contents(schema)) for schema in loaded.values()
    )
    return Draft202012Validator(loaded[name], registry=registry)


@cache
def official_sarif() -> Draft4Validator:
    return Draft4Validator(json.loads(SARIF.read_text()))


def check(name: str, text: str) -> Any:
    """The answer, if it is one by its schema."""
    answer = json.loads(text)
    if len(text) <= MOST:
        validator(name).validate(answer)
        if name == "sarif":
            official_sarif().validate(answer)
    return answer


def check_answer(text: str) -> Any:
    """The same for JSON that a command printed, which names its schema."""
    name, version = json.loads(text)["schema"].removeprefix("heapstory.").split("/")
    assert version == "1"
    return check(name, text)
