"""An allocation that fails on purpose: the program itself says which one it was."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

import heapstory
from heapstory.recording.recorder import Request, record

PROGRAM = Path(__file__).parents[1] / "programs" / "failing.c"


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    built = tmp_path_factory.mktemp("failing") / "failing"
    subprocess.run(["gcc", "-g", "-O0", "-o", built, PROGRAM], check=True)
    return built


def answers(
    program: Path, folder: Path, capfd: pytest.CaptureFixture[str], ordinal: int | None
) -> str:
    request = Request([str(program)], folder / "t.story", force=True, fail_allocation=ordinal)
    assert record(request) == 0
    return capfd.readouterr().out


@pytest.mark.parametrize("ordinal", range(1, 17))
def test_the_chosen_one_fails_and_no_other(
    program: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str], ordinal: int
) -> None:
    assert answers(program, tmp_path, capfd, ordinal) == f"{ordinal} 1\n"


def test_the_trace_counts_alike(
    program: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """The ordinal is that of the trace's alloc and realloc events."""
    assert answers(program, tmp_path, capfd, None) == ""
    with heapstory.open(tmp_path / "t.story") as trace:
        kinds = trace.query(
            "SELECT kind FROM events WHERE kind IN ('alloc', 'realloc') ORDER BY event"
        ).rows
    assert [k for (k,) in kinds] == (["alloc"] * 5 + ["realloc"] + ["alloc"] * 2) * 2
