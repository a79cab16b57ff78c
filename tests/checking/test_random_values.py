"""Random programs: what depends on undefined memory, beside Memcheck and beside the truth."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.checking.checking import Check, Memcheck, lines
from tests.checking.random_values import source
from tests.conftest import Compile

FILLS = 200


def _depends(built: Path) -> set[int]:
    """The lines whose decisions change with the contents of undefined memory."""
    counts = [
        subprocess.run([built, str(number)], capture_output=True, check=True).stdout.split()
        for number in range(1, FILLS)
    ]
    return {line for line, each in enumerate(zip(*counts, strict=True)) if len(set(each)) > 1}


@pytest.mark.parametrize(("number", "flags"), [(1, "-O0"), (2, "-O1"), (4, "-O3")])
def test_decisions_are_those_of_memcheck_but_for_its_false_ones(
    number: int, flags: str, compile_program: Compile, check: Check, memcheck: Memcheck
) -> None:
    built = compile_program(source(number), flags, "-fno-inline", "-w")
    ours = lines(check(built, options=("--no-leaks",)))
    theirs = memcheck(built, values=True)
    assert ours
    assert ours <= theirs
    assert not {line for _, line in theirs - ours} & _depends(built)
