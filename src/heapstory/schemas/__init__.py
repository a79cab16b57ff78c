"""JSON schemas (2020-12) of the answers, a file for each command. Knows nothing of the package.

``common`` has what several share; ``sarif`` is the part of SARIF that is written. Members may be
added in a later version: the schemas leave that open.
"""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any


def load(name: str) -> dict[str, Any]:
    """The schema of a command's answer, as ``load("locate")``."""
    text = files(__name__).joinpath(f"{name}.json").read_text(encoding="utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema


def names() -> list[str]:
    """What there is a schema for."""
    found = (file.name for file in files(__name__).iterdir())
    return sorted(name.removesuffix(".json") for name in found if name.endswith(".json"))
