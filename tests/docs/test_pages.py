"""Commands of the pages, run as they stand there; what the pages show must be in their output."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import heapstory
from tests.support.programs import ROOT

REFERENCE = ("check", "commands", "constraints", "guard", "leaks", "loops", "prove", "slice")
PAGES = [
    "README.md",
    *(f"docs/{name}.md" for name in ("tutorial", "specification", "how-to")),
    *(f"docs/reference/{name}.md" for name in REFERENCE),
]
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# What sets heapstory up has been done already, in a folder that has the examples.
SET_UP = ("make ", ". .venv/", "cd examples")
# Ends where a command fails; 1 means findings.
CAREFULLY = "trap 's=$?; [ $s -le 1 ] || exit $s' ERR\n"
# Timestamps, addresses and times of day are those of another machine.
VARYING = re.compile(r"\(\d+\):|timestamps? \d+( (of|and) \d+)?|0x[0-9a-f]+|\b\d+\.\d+ s")


# Where a page has the number of a node: in a command, in an answer, in the first column of a table.
NODE = re.compile(r"(\bnode[ =]|--pointing-to |^ +(?=\d+  \w+\.c:))(\d+)", re.MULTILINE)
FIRST_SONG = 7  # on the pages: `first` points to it


@pytest.fixture(scope="module")
def further(tmp_path_factory: pytest.TempPathFactory) -> int:
    """By how much the numbers of nodes are higher here than on the pages: those of the program's
    own nodes follow on those of the variables of the C library, and each release has its own."""
    program = tmp_path_factory.mktemp("songs") / "playlist"
    subprocess.run(["gcc", "-g", "-o", program, ROOT / "examples/playlist.c"], check=True)
    with heapstory.record([str(program)], program.with_suffix(".story")) as trace:
        ((first,),) = trace.query("SELECT min(node) FROM nodes WHERE type = 'struct song'").rows
    return int(first) - FIRST_SONG


def steps(page: str, further: int) -> Iterator[tuple[str, list[str]]]:
    """Commands, and the lines that the page shows behind them."""
    text = (ROOT / page).read_text()
    blocks = BLOCK.findall(NODE.sub(lambda at: f"{at[1]}{int(at[2]) + further}", text))
    for (kind, text), (next_kind, shown) in zip(blocks, [*blocks[1:], ("", "")], strict=True):
        commands = [li for li in text.splitlines() if not li.startswith(SET_UP)]
        if kind == "sh" and commands:
            yield CAREFULLY + "\n".join(commands), shown.splitlines() if next_kind == "" else []
        elif kind == "python" and text.startswith("import heapstory"):
            yield f"python -c {shlex.quote(text)}", []


def plain(text: str) -> str:
    return " ".join(VARYING.sub("#", text).split())


@pytest.mark.parametrize("page", PAGES)
def test_the_commands_of_a_page(page: str, tmp_path: Path, further: int) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    shutil.copytree(ROOT / "examples", tmp_path, dirs_exist_ok=True)
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "HEAPSTORY_DEBUG": "0",
    }
    ran = 0
    for commands, shown in steps(page, further):
        done = subprocess.run(
            ["bash", "-c", commands],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            timeout=200,
        )
        assert done.returncode in (0, 1), (commands, done.stderr)
        said = plain(done.stdout + done.stderr)
        for line in (line for line in shown if line.strip() != "..."):
            assert plain(line) in said, (commands, line)
        ran += 1
    assert ran >= 1
