"""An allocation that fails on purpose: the program itself says which one it was."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

import heapstory
from heapstory.recording.recorder import Request, record

PROGRAMS = Path(__file__).parent / "programs"


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    built = tmp_path_factory.mktemp("failing") / "failing"
    subprocess.run(["gcc", "-g", "-O0", "-o", built, PROGRAMS / "failing.c"], check=True)
    return built


@pytest.fixture(scope="module")
def throwing(tmp_path_factory: pytest.TempPathFactory) -> Path:
    built = tmp_path_factory.mktemp("throwing") / "throwing"
    source = PROGRAMS / "throwing.cpp"
    subprocess.run(["g++", "-g", "-std=c++17", "-o", built, source], check=True)
    return built


def answers(
    program: Path,
    folder: Path,
    capfd: pytest.CaptureFixture[str],
    ordinal: int | None,
    *arguments: str,
) -> str:
    command = [str(program), *arguments]
    request = Request(command, folder / "t.story", force=True, fail_allocation=ordinal)
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


def test_new_throws_as_it_does_unrecorded(
    throwing: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """The new handler is asked, std::bad_alloc thrown and caught, what lies between unwound."""
    alone = subprocess.run([throwing], capture_output=True, text=True, check=True).stdout
    assert alone.count("std::bad_alloc") == 8
    assert answers(throwing, tmp_path, capfd, None) == alone


@pytest.mark.parametrize("form", range(12))
def test_the_chosen_new_throws_and_no_other(
    throwing: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str], form: int
) -> None:
    """The first allocation of all is the C++ library's own."""
    expected = {
        True: f"unwound\nform {form % 6}: std::bad_alloc\n",
        False: f"form {form % 6}: null\n",
    }
    assert answers(throwing, tmp_path, capfd, form + 2, "twice") == expected[form % 6 < 4]
