"""Where the small programs of a room lie, and where everything else does."""

from __future__ import annotations

from pathlib import Path

TESTS = Path(__file__).parents[1]
ROOT = TESTS.parent


def program(name: str) -> Path:
    """``program("recorder/ends.c")``: tests/recorder/programs/ends.c."""
    room, _, file = name.rpartition("/")
    return TESTS / room / "programs" / file
