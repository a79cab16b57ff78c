"""Pointers into C++ objects that are as good as pointers to their starts, and their twins."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.checking.checking import Check
from tests.conftest import Compile
from tests.support.programs import program

SOURCE = program("checking/parts.cpp")
# Blocks of the program: good ones, and twins that only look so.
KNOWN = {"array": (2, 1), "inheritance": (1, 1), "string": (1, 1)}


@pytest.mark.parametrize("flags", ["-O0", "-O2"])
@pytest.mark.parametrize("what", KNOWN)
def test_parts_are_reachable_and_twins_are_not(
    what: str, flags: str, compile_program: Compile, check: Check
) -> None:
    built = compile_program(SOURCE.read_text(), flags, "-x", "c++", compiler="g++")
    good, twins = KNOWN[what]
    on = check(built, what)["summary"]
    assert on["heuristics"] == {what: good}
    assert on["heap"]["possible-leak"]["blocks"] == twins
    off = check(built, what, options=("--no-heuristics",))["summary"]
    assert off["heuristics"] == {}
    assert off["heap"]["possible-leak"]["blocks"] == good + twins
    assert on["heap"]["leak"] == off["heap"]["leak"]


def test_a_recording_says_the_same(compile_program: Compile, check: Check, tmp_path: Path) -> None:
    built = compile_program(SOURCE.read_text(), "-x", "c++", compiler="g++")
    for what, (good, twins) in KNOWN.items():
        answer = check(built, what, options=("--record", f"{tmp_path}/{what}.story"))
        assert answer["summary"]["heuristics"] == {what: good}
        assert answer["summary"]["heap"]["possible-leak"]["blocks"] == twins
