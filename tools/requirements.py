"""Prints what pip must install before heapstory itself: build tools, dependencies, chosen extras.

Usage: requirements.py EXTRA[,EXTRA...]
"""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path


def requirements(extras: list[str]) -> list[str]:
    """The requirement lines of pyproject.toml, in its order."""
    project = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))
    optional = project["project"]["optional-dependencies"]
    lines = [*project["build-system"]["requires"], *project["project"]["dependencies"]]
    for extra in extras:
        lines += optional[extra]
    return lines


if __name__ == "__main__":
    print("\n".join(requirements(sys.argv[1].split(","))))
