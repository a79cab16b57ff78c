"""The types of blocks, in optimised programs as in others: against what the programs' lines say."""

from __future__ import annotations

import re
import subprocess
from collections import defaultdict
from pathlib import Path

import pytest

import heapstory
from tests.conftest import Record
from tests.support.programs import program

MARK = re.compile(r"// is (.+)$")


def stated(source: Path) -> dict[int, list[str]]:
    """The marks of a program, by line: a type, or one name of it for each version of a library."""
    lines = enumerate(source.read_text().splitlines(), 1)
    return {
        number: found[1].split(" or ") for number, line in lines if (found := MARK.search(line))
    }


def short(name: str) -> str:
    """Without namespaces and template arguments, but for those of a pointer's target."""
    return re.sub(r"<.*>", "", name).rsplit("::", 1)[-1]


def types_by_line(trace: Path, source: Path) -> dict[int, set[str | None]]:
    """The types of the blocks that were allocated at each line of a source file."""
    found: dict[int, set[str | None]] = defaultdict(set)
    with heapstory.open(trace) as opened:
        nodes = opened.core.graph(opened.last, True).nodes()
        columns = (nodes.column(name) for name in ("kind", "type", "created_stack"))
        for kind, type_id, stack in zip(*columns, strict=True):
            own = [p for p in opened.stack(stack) if p.path == str(source)] if stack else []
            if kind == "heap" and own and own[0].line is not None:
                name = opened.types.get(type_id)["name"] if type_id else None
                found[own[0].line].add(name and short(name))
    return found


@pytest.mark.parametrize("level", ["-O0", "-O1", "-O2", "-O3"])
@pytest.mark.parametrize(
    ("compiler", "name"),
    [
        ("gcc", "typed_blocks.c"),
        ("clang", "typed_blocks.c"),
        ("g++", "typed_blocks.cpp"),
        ("clang++", "typed_blocks.cpp"),
        ("rustc", "typed_blocks.rs"),
    ],
)
def test_types_of_blocks(
    compiler: str, name: str, level: str, record: Record, tmp_path: Path
) -> None:
    source, built = program(f"recording/{name}"), tmp_path / "typed_blocks"
    flags = [f"-Copt-level={level[-1]}"] if compiler == "rustc" else [level]
    subprocess.run([compiler, "-g", *flags, str(source), "-o", str(built)], check=True)
    found = types_by_line(record(built, "text"), source)
    marks = stated(source)
    assert marks
    for line, names in marks.items():
        assert found[line] in [{name} for name in names], line
