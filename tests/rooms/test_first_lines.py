"""The first lines of a file say what it is for: `head` in a room finds the file for a change."""

from __future__ import annotations

import re
from pathlib import Path

from tests.support.programs import ROOT

LINES = 6
SUFFIXES = (".c", ".cpp", ".h", ".py")
SAID = re.compile(r'\s*(?://|/?\*|""")\s*(?!SPDX)[^\s*/]')


def says_what_it_is_for(file: Path) -> bool:
    head = file.read_text().splitlines()[:LINES]
    return any(SAID.match(line) for line in head)


def spoken_for(file: Path) -> bool:
    """By the header of the same name."""
    header = file.with_suffix(".h")
    return file.suffix in (".c", ".cpp") and header.exists() and says_what_it_is_for(header)


def test_every_file_says_what_it_is_for() -> None:
    files = [
        file
        for room in (ROOT / "src/heapstory", ROOT / "native")
        for file in sorted(room.rglob("*"))
        if file.suffix in SUFFIXES and file.name != "__init__.py"
    ]
    assert len(files) > 500
    silent = [file for file in files if not says_what_it_is_for(file) and not spoken_for(file)]
    assert not silent, "no word on what it is for in the first lines of\n" + "\n".join(
        map(str, silent)
    )
