"""Checking a program, and asking Memcheck about it."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from tests.checking.checking import Check, Memcheck
from tests.conftest import Heapstory
from tests.support.schemas import check as check_schema

# What is alike: a word that is only half in a block is wrong.
MEMCHECK_OPTIONS = ["--partial-loads-ok=no"]


@pytest.fixture
def check(heapstory: Heapstory, tmp_path: Path) -> Check:
    """Checks a program and gives the answer, checked by its schema, with status and output."""

    def checked(*words: str | Path, options: tuple[str, ...] = (), **settings: Any) -> Any:
        file = tmp_path / "answer.json"
        done = heapstory("check", "--json", file, *options, "--", *words, **settings)
        answer = check_schema("check", file.read_text())
        return answer | {"returned": done.returncode, "printed": done.stdout, "said": done.stderr}

    return checked


@pytest.fixture
def memcheck(tmp_path: Path) -> Memcheck:
    """The lines of the program's own file that Memcheck names, with its kind of error."""

    def asked(program: Path, *arguments: str, values: bool = False) -> set[tuple[str, int]]:
        file = tmp_path / "memcheck.xml"
        options = [*MEMCHECK_OPTIONS, f"--undef-value-errors={'yes' if values else 'no'}"]
        command = ["valgrind", "--xml=yes", f"--xml-file={file}", *options]
        subprocess.run([*command, program, *arguments], capture_output=True, timeout=120)
        found = set()
        for error in ElementTree.parse(file).getroot().iter("error"):
            kind, stack = error.findtext("kind"), error.find("stack")
            lines = [
                int(frame.findtext("line") or 0)
                for frame in (stack.iter("frame") if stack is not None else ())
                if (frame.findtext("file") or "").startswith(program.name)
            ]
            if kind and lines and not kind.startswith("Leak"):
                found.add((kind, lines[0]))
        return found

    return asked
