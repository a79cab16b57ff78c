# SPDX-License-Identifier: GPL-2.0-or-later
"""Slices against a debugger: what a statement outside of the slice wrote does not matter.

A program is stepped line by line. After a line that is not in the slice of ``result``, the number
that it assigned is changed. As long as the same lines run, ``result`` must stay what it was. (Not
so with a pointer: a store through it may then hit anything.)
"""

from __future__ import annotations

import json
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.conftest import Compile, Heapstory

FOLDER = Path(__file__).parent / "programs"
SAMPLE = ("call", "overwritten", "straight", "loop", "one_element", "structure", "early_return")
ASSIGNED = re.compile(r"^\s*(?:int )?(?P<what>[a-z][\w>.\[\]-]*) [-+*]?= ")
STEPPING = """
import gdb, json

def frame_pointer():
    return int(gdb.selected_frame().read_register("rbp"))

def change():
    value = gdb.parse_and_eval(WHAT)
    if value.type.strip_typedefs().code == gdb.TYPE_CODE_INT:
        gdb.execute(f"set var {WHAT} = {WHAT} + 1", to_string=True)

def stepped():
    lines, written_in = [], None
    gdb.execute("break main", to_string=True)
    gdb.execute("run", to_string=True)
    while len(lines) < 2000:
        place = gdb.selected_frame().find_sal()
        if place.symtab is None or not place.symtab.filename.endswith("program.c"):
            gdb.execute("finish", to_string=True)
            continue
        if written_in == frame_pointer():
            change()
            written_in = None
        if place.line == LINE:
            written_in = frame_pointer()
        lines.append(place.line)
        if place.line == LAST:
            return lines, int(gdb.parse_and_eval("result"))
        gdb.execute("step", to_string=True)

print("ANSWER", json.dumps(stepped()))
"""


@dataclass(frozen=True)
class Run:
    lines: list[int]
    result: int


def stepped(program: Path, folder: Path, last: int, line: int = 0, what: str = "") -> Run:
    """The lines that ran up to line ``last``, and the result there; a number is changed after each
    execution of ``line``."""
    script = folder / "stepping.py"
    script.write_text(f"LAST, LINE, WHAT = {last}, {line}, {what!r}\n{STEPPING}")
    command = ["gdb", "-nx", "-batch", "-x", str(script), str(program)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100)
    answers = [text for text in done.stdout.splitlines() if text.startswith("ANSWER ")]
    assert answers, done.stdout + done.stderr
    return Run(*json.loads(answers[0].removeprefix("ANSWER ")))


@pytest.mark.parametrize("name", SAMPLE)
def test_what_is_outside_does_not_matter(
    name: str, compile_program: Compile, heapstory: Heapstory, tmp_path: Path
) -> None:
    source = (FOLDER / f"{name}.c").read_text()
    program, trace = compile_program(source), tmp_path / "t.story"
    heapstory("record", "--stream", "-o", trace, "--", program)
    asked = heapstory("slice", trace, "--criterion", "end:result", "--json")
    inside = {one["line"] for one in json.loads(asked.stdout)["statements"]}
    text = source.splitlines()
    last = next(number for number, line in enumerate(text, 1) if "result = " in line) + 1
    plain = stepped(program, tmp_path, last)
    mattered = []
    for number in sorted(set(plain.lines) - {last}):
        found = ASSIGNED.match(text[number - 1])
        if found is None or found["what"] == "result":
            continue
        changed = stepped(program, tmp_path, last, number, found["what"])
        if changed.lines == plain.lines and changed.result != plain.result:
            mattered.append(number)
    assert mattered and set(mattered) <= inside
