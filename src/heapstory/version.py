"""The version of heapstory, which stands in pyproject.toml alone. Knows nothing of the package."""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path


@cache
def version() -> str:
    """As installed: in the name of the folder beside the package, which is much quicker to find
    than importlib.metadata is to load; where there is none, by that."""
    for folder in map(Path, sys.path):
        for found in folder.glob("heapstory-*.dist-info"):
            return found.name.removeprefix("heapstory-").removesuffix(".dist-info")
    from importlib import metadata

    return metadata.version("heapstory")
