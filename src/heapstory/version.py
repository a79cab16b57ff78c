"""The version of heapstory, which stands in pyproject.toml alone. Knows nothing of the package."""

from __future__ import annotations

from functools import cache


@cache
def version() -> str:
    """As installed."""
    from importlib import metadata

    return metadata.version("heapstory")
