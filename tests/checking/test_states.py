"""Table I of the Dr. Memory paper, row by row: a program each, beside Memcheck."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.checking.checking import Check, Memcheck, line_of, lines
from tests.conftest import Compile
from tests.support.programs import program

SOURCE = program("checking/states.c")
# By row: what is wrong, as Memcheck calls it, by the remark of the line.
ROWS = {
    "start": {},
    "malloc": {"malloc": "UninitCondition"},
    "calloc": {"calloc": "InvalidRead"},
    "realloc": {"realloc, as before": "UninitCondition", "realloc, more": "UninitCondition"},
    "free": {"free": "InvalidRead"},
    "mmap": {"munmap": "InvalidRead"},
    "dlclose": {"dlclose": "InvalidRead"},
    "stack down": {"stack down": "UninitCondition"},
    "stack up": {"stack up": "InvalidRead"},
    "input": {"system call, input": "SyscallParam"},
    "output": {"system call, failed": "UninitCondition"},
    "copy": {"copied": "UninitCondition"},
}
ENDED = {"mmap": 139, "dlclose": 139}  # nothing is there any more


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("library")
    (folder / "variable.c").write_text("int variable = 3;\n")
    command = ["gcc", "-shared", "-fPIC", "-o", folder / "variable.so", folder / "variable.c"]
    subprocess.run(command, check=True)
    return folder / "variable.so"


@pytest.mark.parametrize("row", ROWS)
def test_a_row(
    row: str, compile_program: Compile, check: Check, memcheck: Memcheck, library: Path
) -> None:
    built = compile_program("checking/states", "-O0", "-w")
    answer = check(built, row, library, options=("--no-leaks",))
    assert answer["returned"] == ENDED.get(row, 0)
    expected = {(kind, line_of(SOURCE, remark)) for remark, kind in ROWS[row].items()}
    assert lines(answer) == expected, answer["said"]
    # For Memcheck, memory that is not mapped is no error where the fault says so.
    if row not in ENDED:
        assert lines(answer) == memcheck(built, row, values=True)
