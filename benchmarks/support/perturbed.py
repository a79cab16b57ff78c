"""Changes what a statement wrote, in a debugger, and says whether the same lines ran and what was
printed last. Counts of lines are gcov's: nothing here asks heapstory."""

from __future__ import annotations

import gzip
import json
import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

ASSIGNED = re.compile(r"^\s*(?:\w+ )?(?P<what>[a-zA-Z_][\w>.\[\]-]*) ?[-+*/|&^]?= ?[^=]")
LONGEST = 60  # seconds in the debugger
SCRIPT = """
import gdb

def change():
    value = gdb.parse_and_eval(WHAT)
    kinds = (gdb.TYPE_CODE_INT, gdb.TYPE_CODE_FLT, gdb.TYPE_CODE_CHAR)
    if value.type.strip_typedefs().code not in kinds:
        raise gdb.error("no number")
    gdb.execute(f"set var {WHAT} = {WHAT} + 1", to_string=True)

try:
    point = gdb.Breakpoint(PLACE, temporary=True)
    point.ignore_count = BEFORE
    gdb.execute("run", to_string=True)
    frame = gdb.selected_frame()
    gdb.execute("next", to_string=True)
    if frame.is_valid() and gdb.selected_frame() == frame:
        change()
        print("CHANGED")
    gdb.execute("continue", to_string=True)
except gdb.error as error:
    print(error)
"""


@dataclass(frozen=True)
class Outcome:
    printed: str  # the last line
    counts: dict[tuple[str, int], int]  # executions, by file and line


class Perturbed:
    """One program, built with counters of its lines."""

    def __init__(self, command: list[str], arguments: list[str], folder: Path) -> None:
        """``command`` compiles it, but for ``-o``."""
        self.folder, self.arguments = folder, arguments
        self.binary = folder / "counted"
        build = [*command, "--coverage", "-fprofile-abs-path", "-O0", "-o", str(self.binary)]
        subprocess.run(build, capture_output=True, check=True, cwd=folder)
        self.plain = self._outcome([str(self.binary), *arguments])

    def changed(self, place: str, what: str, execution: int) -> Outcome | None:
        """With one added to ``what`` after an execution of a line; None where that did not work."""
        script = self.folder / "change.py"
        words = f"PLACE, WHAT, BEFORE = {place!r}, {what!r}, {execution - 1}\n"
        script.write_text(words + SCRIPT)
        debugger = ["gdb", "-nx", "-batch", "-x", str(script), "--args", str(self.binary)]
        try:
            found = self._outcome([*debugger, *self.arguments], "CHANGED")
        except (subprocess.TimeoutExpired, StopIteration):
            return None
        return found

    def _outcome(self, command: list[str], sign: str = "") -> Outcome:
        """StopIteration where the sign was not printed, or the program did not end by itself."""
        for old in self.folder.glob("*.gcda"):
            old.unlink()
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=LONGEST, cwd=self.folder,
            stdin=subprocess.DEVNULL, env={**os.environ, "DEBUGINFOD_URLS": ""}, errors="replace",
        )  # fmt: skip
        data = list(self.folder.glob("*.gcda"))
        if not data or sign not in done.stdout.split("\n"):
            raise StopIteration
        lines = [one for one in done.stdout.split("\n") if one and not one.startswith("[Inferior")]
        own = [one for one in lines if one != sign or not sign]
        return Outcome(own[-1] if own else "", self._counts(data))

    def _counts(self, data: list[Path]) -> dict[tuple[str, int], int]:
        done = subprocess.run(
            ["gcov", "--json-format", *map(str, data)], capture_output=True, cwd=self.folder
        )
        assert not done.returncode, done.stderr
        counts = {}
        for report in self.folder.glob("*.gcov.json.gz"):
            for file in json.loads(gzip.decompress(report.read_bytes()))["files"]:
                for line in file["lines"]:
                    counts[file["file"], line["line_number"]] = line["count"]
            report.unlink()
        return counts
