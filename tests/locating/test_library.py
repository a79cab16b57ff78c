"""Specifications of the library on programs that know nothing of them: the correct program gives
nothing, and the faulty statement that is marked in its source is found."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Compile, Heapstory, Record
from tests.support.programs import program as source

STRUCTURES = ["skip_list", "trie", "bplus_tree", "ring_buffer"]


def marked(name: str) -> int:
    lines = source(f"locating/library_{name}.c").read_text().splitlines()
    return next(n for n, line in enumerate(lines, 1) if "/* faulty */" in line)


@pytest.fixture
def located(compile_program: Compile, record: Record, heapstory: Heapstory) -> Any:
    """``located("trie", fault=True)``: the exit status and the answer."""

    def run(name: str, fault: bool, *options: str) -> tuple[int, dict[str, Any]]:
        program = compile_program(f"locating/library_{name}", "-O0", f"-DFAULT={int(fault)}")
        trace: Path = record(program)
        done = heapstory("locate", trace, "--spec", name, "--json", *options)
        return done.returncode, json.loads(done.stdout)

    return run


@pytest.mark.parametrize("name", STRUCTURES)
def test_the_correct_program_gives_nothing(name: str, located: Any) -> None:
    for options in ([], ["--cpoint", "end"]):
        status, answer = located(name, False, *options)
        assert (status, answer["inconsistencies"]) == (0, []), answer
        assert answer["nodes"] > 0


@pytest.mark.parametrize("name", STRUCTURES)
def test_the_faulty_statement_is_found(name: str, located: Any) -> None:
    status, answer = located(name, True)
    assert status == 1
    assert marked(name) in [place["line"] for place in answer["statements"][:2]], answer["faults"]
