"""The tables of rooms in docs/internals/architecture.md: what each room may know.

A row is ``| `room` | what it is for | `other`, `others/*` |``; a room is a folder or a file below
src/heapstory or native, with what lies below it in no row of its own. ``others/*`` is a room with
all rooms below it, *all above* every row before.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

ALL_ABOVE = "all above"
QUOTED = re.compile(r"`([^`]+)`")


@dataclass
class Rooms:
    """The rows of one table, in order, each with the rooms that it may know."""

    may_know: dict[Path, list[Path]] = field(default_factory=dict)

    def of(self, file: Path) -> Path | None:
        """The innermost room that a file is in."""
        return next((place for place in (file, *file.parents) if place in self.may_know), None)

    def allow(self, user: Path, used: Path) -> bool:
        """Whether a file may use another one."""
        room, other = self.of(user), self.of(used)
        return room is None or room == other or other in self.may_know[room]

    def add(self, room: Path, known: str) -> None:
        above = list(self.may_know)
        self.may_know[room] = above if ALL_ABOVE in known else []
        for name in QUOTED.findall(known):
            folder = Path(name.removesuffix("/*"))
            below = [one for one in above if one.is_relative_to(folder)]
            self.may_know[room] += below if name.endswith("/*") else [folder]


def read(text: str, heading: str) -> Rooms:
    """The table below a heading of the page."""
    section = text.split(f"\n{heading}\n", 1)[1].split("\n#", 1)[0]
    rooms = Rooms()
    for line in section.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 3 and (name := QUOTED.fullmatch(cells[0])):
            rooms.add(Path(name[1]), cells[2])
    return rooms
