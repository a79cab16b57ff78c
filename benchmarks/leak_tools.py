"""heapstory and its peers, each as a function from C files to the leaks it reports."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from tests.static.twin import heapstory

# Files and compiler options to the number of leaks.
Tool = Callable[[Sequence[Path], Sequence[str]], int]

GCC_LEAK = re.compile(r"\[-Wanalyzer-(?:malloc|file|fd)-leak\]")
CLANG_LEAK = re.compile(r"warning: (?:Potential leak|Potential memory leak|Opened stream)")
CPPCHECK_LEAK = re.compile(r"\[(?:memleak\w*|resourceLeak|leak\w*)\]")


def gcc(files: Sequence[Path], options: Sequence[str]) -> int:
    """gcc -fanalyzer, unit by unit. -w must not be given: it silences the analyzer."""
    command = ["gcc", "-O0", "-fanalyzer", *options, "-c", "-o", os.devnull]
    return sum(len(GCC_LEAK.findall(run([*command, str(f)]))) for f in files)


def gcc_lto(files: Sequence[Path], options: Sequence[str]) -> int:
    """gcc -fanalyzer at link time, the whole program at once."""
    with tempfile.TemporaryDirectory() as folder:
        command = ["gcc", "-O0", "-flto", "-fanalyzer", *options, "-o", f"{folder}/x"]
        return len(GCC_LEAK.findall(run([*command, *map(str, files)])))


def clang(files: Sequence[Path], options: Sequence[str]) -> int:
    """clang --analyze with its default checkers."""
    command = ["clang-14", "--analyze", *options, "-o", os.devnull]
    return sum(len(CLANG_LEAK.findall(run([*command, str(f)]))) for f in files)


def cppcheck(files: Sequence[Path], options: Sequence[str]) -> int:
    """cppcheck, all files together."""
    known = [o for o in options if o.startswith(("-D", "-I", "-U"))]
    return len(
        CPPCHECK_LEAK.findall(run(["cppcheck", "-q", "--enable=warning", *known, *map(str, files)]))
    )


def run(command: Sequence[str], folder: str | None = None) -> str:
    """What a command says, on both of its outputs."""
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)
    return done.stderr + done.stdout


_ALL: dict[str, tuple[str, Tool]] = {
    "heapstory": ("clang-14", heapstory),
    "gcc -fanalyzer": ("gcc", gcc),
    "gcc -fanalyzer -flto": ("gcc", gcc_lto),
    "clang --analyze": ("clang-14", clang),
    "cppcheck": ("cppcheck", cppcheck),
}


def installed() -> dict[str, Tool]:
    """The tools there are; one that is not installed is left out."""
    return {name: tool for name, (program, tool) in _ALL.items() if shutil.which(program)}
