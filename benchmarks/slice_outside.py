#!/usr/bin/env python3
"""Slices of programs that others wrote, judged by changing them: a line that changes what is
printed last must be in the slice of what is printed last, and so must one that wrote a value whose
change in a debugger does, while the same lines run.

    python3 -m benchmarks.slice_outside LIST FOLDER

FOLDER has checkouts of repositories, side by side; LIST names programs in them, in TOML: for each
``[[program]]`` its ``sources`` (the first has main; Rust has one), ``flags`` of the compiler,
``arguments``.

The criterion is the last execution of the line that printed last. Lines that ran are drawn by
chance; in each the first number is made one larger, and the program is built and run again without
heapstory. Then lines that assign a number are drawn, and one is added to what an execution of each
assigned (see benchmarks/support/perturbed.py; C only).
"""

import argparse
import json
import random
import re
import shlex
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from benchmarks.support.page import table
from benchmarks.support.perturbed import ASSIGNED, Perturbed
from heapstory import _core

PRINTS = re.compile(r"\b(?:(?:printf|puts|putchar|cout)\b|print(?:ln)?!)")
NUMBER = re.compile(r"(?<![\w.\"'])\d+(?=[iu]\d|[iu]size|\.\.|[^\w.\"']|$)")
LINES = 30  # drawn from each program


@dataclass(frozen=True)
class Program:
    """Sources below the folder of the repositories; the first has main."""

    sources: tuple[str, ...]
    flags: str
    arguments: tuple[str, ...] = ()

    @property
    def compiler(self) -> str:
        ending = Path(self.sources[0]).suffix
        return {".cpp": "g++", ".rs": "rustc"}.get(ending, "gcc")


def listed(path: Path) -> list[Program]:
    """The programs of a list."""
    entries = tomllib.loads(path.read_text())["program"]
    return [
        Program(tuple(each["sources"]), each["flags"], tuple(each.get("arguments", ())))
        for each in entries
    ]


class Judge:
    """One program in a folder of its own."""

    def __init__(self, program: Program, repositories: Path, folder: Path) -> None:
        self.program, self.repositories, self.folder = program, repositories, folder
        self.paths = [repositories / source for source in program.sources]

    def judge(self) -> dict[str, object]:
        binary = self._built("plain", {})
        if binary is None:
            return {"program": self.program.sources[0], "error": "does not build"}
        expected = self._printed(binary)
        trace = self.folder / "t.story"
        heapstory = str(Path(sys.executable).parent / "heapstory")
        command = [heapstory, "record", "--stream", "-o", str(trace), "--", str(binary)]
        subprocess.run([*command, *self.program.arguments], capture_output=True, check=False)
        criterion = self._criterion(trace)
        if not criterion:
            return {"program": self.program.sources[0], "error": "prints nothing in its own lines"}
        done = subprocess.run(
            [heapstory, "slice", str(trace), "--criterion", criterion, "--json"],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        answer = json.loads(done.stdout)
        inside = {
            (str(Path(one["path"]).resolve()), one["line"])
            for one in answer["statements"]
            if one["path"]
        }
        ran = self._ran(trace)
        drawn, causes, missed = self._changed(trace, expected, inside)
        wrote = self._perturbed(ran, inside) if self.program.compiler == "gcc" else {}
        return {
            "program": self.program.sources[0], "flags": self.program.flags,
            "criterion": criterion, "status": done.returncode,
            "statements": len(inside & set(ran)), "ran": len(ran), "drawn": drawn,
            "causes": causes, "missed": missed, **wrote,
        }  # fmt: skip

    def _built(self, name: str, replaced: dict[Path, str]) -> Path | None:
        folder = self.folder / name
        folder.mkdir(exist_ok=True)
        sources = []
        for path in self.paths:
            if path in replaced:
                copy = folder / path.name
                copy.write_text(replaced[path])
                sources.append(str(copy))
            else:
                sources.append(str(path))
        command = [*self._command(sources), "-o", str(folder / "program")]
        done = subprocess.run(command, capture_output=True, check=False)
        return None if done.returncode else folder / "program"

    def _command(self, sources: Iterable[str]) -> list[str]:
        """Compiles; ``-o`` is left to say."""
        if self.program.compiler == "rustc":
            (source,) = sources
            return ["rustc", "-g", "-Awarnings", *shlex.split(self.program.flags), source]
        includes = [f"-I{folder}" for folder in dict.fromkeys(path.parent for path in self.paths)]
        return [self.program.compiler, "-g", "-w", *shlex.split(self.program.flags), *includes,
                "-pthread", *sources, "-lm"]  # fmt: skip

    def _printed(self, binary: Path) -> str | None:
        """The last line; None where the program did not end by itself."""
        try:
            done = subprocess.run(
                [binary, *self.program.arguments], capture_output=True, timeout=10
            )
        except subprocess.TimeoutExpired:
            return None
        lines = done.stdout.decode(errors="replace").split("\n")
        return None if done.returncode < 0 else next((one for one in reversed(lines) if one), "")

    def _ran(self, trace: Path) -> list[tuple[str, int]]:
        slicer = _core.Slicer(_core.Trace(str(trace)))
        found = set()
        for address in slicer.own_instructions():
            for place in slicer.place(address):  # inlined into, too
                if place["path"] and place["line"]:
                    found.add((str(Path(place["path"]).resolve()), place["line"]))
        ours = {str(path.resolve()) for path in self.paths}
        return sorted(one for one in found if one[0] in ours)

    def _criterion(self, trace: Path) -> str:
        """The line that printed last, by when its instructions ran."""
        slicer = _core.Slicer(_core.Trace(str(trace)))
        best: tuple[int, str] = (-1, "")
        for path, line in self._ran(trace):
            if not PRINTS.search(Path(path).read_text().split("\n")[line - 1]):
                continue
            runs = slicer.run(slicer.addresses(Path(path).name, line))
            best = max(best, (runs["after"][0], f"{Path(path).name}:{line}"))
        return best[1]

    def _changed(
        self, trace: Path, expected: str | None, inside: set[tuple[str, int]]
    ) -> tuple[int, int, list[str]]:
        chosen = [one for one in self._ran(trace) if NUMBER.search(self._line(*one))]
        random.Random(1).shuffle(chosen)
        drawn, causes, missed = 0, 0, []
        for path, line in chosen[:LINES]:
            text = Path(path).read_text().split("\n")
            text[line - 1] = NUMBER.sub(
                lambda found: str(int(found[0]) + 1), text[line - 1], count=1
            )
            target = next(one for one in self.paths if str(one.resolve()) == path)
            binary = self._built("changed", {target: "\n".join(text)})
            printed = self._printed(binary) if binary else None
            if printed is None:
                continue
            drawn += 1
            if printed != expected:
                causes += 1
                if (path, line) not in inside:
                    missed.append(f"{target.name}:{line}")
        return drawn, causes, missed

    def _perturbed(
        self, ran: list[tuple[str, int]], inside: set[tuple[str, int]]
    ) -> dict[str, object]:
        """Values that were changed, those after which the same lines ran, those of them that
        mattered, and of these the lines that are not in the slice."""
        folder = self.folder / "counted"
        folder.mkdir()
        program = Perturbed(self._command(map(str, self.paths)), [*self.program.arguments], folder)
        chosen = [(one, found) for one in ran if (found := ASSIGNED.match(self._line(*one)))]
        drawing = random.Random(2)
        drawing.shuffle(chosen)
        changed, same, mattered, missed = 0, 0, 0, []
        for (path, line), found in chosen[:LINES]:
            times = program.plain.counts.get((path, line), 0)
            if not times:
                continue
            execution = drawing.randint(1, times)
            outcome = program.changed(f"{path}:{line}", found["what"], execution)
            if outcome is None:
                continue
            changed += 1
            if outcome.counts != program.plain.counts:
                continue
            same += 1
            if outcome.printed != program.plain.printed:
                mattered += 1
                if (path, line) not in inside:
                    missed.append(f"{Path(path).name}:{line}#{execution}")
        return {"changed": changed, "same": same, "mattered": mattered, "missed_values": missed}

    @staticmethod
    def _line(path: str, line: int) -> str:
        text = Path(path).read_text().split("\n")[line - 1]
        return "" if text.lstrip().startswith(("//", "*", "#")) else text


def main() -> int:
    parser = argparse.ArgumentParser(description="Slices of others' programs.")
    parser.add_argument("list", type=Path)
    parser.add_argument("folder", type=Path)
    options = parser.parse_args()
    rows = []
    for program in listed(options.list):
        with tempfile.TemporaryDirectory(prefix="outside-") as folder:
            found = Judge(program, options.folder.resolve(), Path(folder)).judge()
        print(json.dumps(found), file=sys.stderr, flush=True)
        rows.append([
            f"{found['program']} {found.get('flags', '')}", str(found.get("criterion", "–")),
            f"{found.get('statements', '–')} of {found.get('ran', '–')}",
            str(found.get("drawn", "–")), str(found.get("causes", "–")),
            ", ".join(found.get("missed", [])) or "none",  # type: ignore[arg-type]
            *(str(found.get(key, "–")) for key in ("changed", "same", "mattered")),
            ", ".join(found.get("missed_values", [])) or "none",  # type: ignore[arg-type]
        ])  # fmt: skip
    print(table(["program", "criterion", "lines in the slice", "lines changed",
                 "changed what is printed", "of these not in the slice", "values changed",
                 "then the same lines ran", "changed what is printed",
                 "of these not in the slice"], rows))  # fmt: skip
    return 0


if __name__ == "__main__":
    sys.exit(main())
