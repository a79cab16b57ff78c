"""The options of heapstory record for the instruction stream, and what info says of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Compile, Heapstory
from tests.support.schemas import check_answer

LOOP = r"""
#include <stdlib.h>
long *cells, sum;
void step(long i) { cells[i] = i; sum += cells[i]; }
int main(void) {
    cells = malloc(1000 * sizeof *cells);
    for (long i = 0; i < 1000; i++)
        step(i);
    return sum == 0;
}
"""


@pytest.fixture
def info(compile_program: Compile, heapstory: Heapstory, tmp_path: Path):  # type: ignore[no-untyped-def]
    """info(*options) records the loop and says what is in the trace, as JSON."""
    program = compile_program(LOOP)

    def info(*options: str) -> dict[str, Any]:
        trace = tmp_path / "t.story"
        done = heapstory("record", "--force", "-o", trace, *options, "--", program)
        assert (done.returncode, done.stderr) == (0, "")
        answer = heapstory("info", "--json", trace)
        assert answer.returncode == 0
        found: dict[str, Any] = check_answer(answer.stdout)
        return found

    return info


def test_no_stream_unless_asked_for(info) -> None:  # type: ignore[no-untyped-def]
    assert info()["stream"] is None


@pytest.mark.parametrize("option", [["--stream"], ["--mode", "full"]])
def test_all_of_the_run(info, option: list[str]) -> None:  # type: ignore[no-untyped-def]
    found = info(*option)
    stream = found["stream"]
    assert found["mode"] == "alloc"
    assert stream["instructions"] > stream["steps"] > 2000 and stream["blocks"] > 100
    assert 0 < stream["bytes"] < found["bytes"] and stream["complete"]
    (window,) = stream["windows"]
    assert window["first"] == 0 and window["ended"] == "recording"
    assert window["instructions"] == stream["instructions"]


def test_a_window_by_places(info) -> None:  # type: ignore[no-untyped-def]
    whole = info("--stream")
    found = info("--stream-from", "step#101", "--stream-until", "step#11")
    (window,) = found["stream"]["windows"]
    assert window["ended"] == "until"
    # Ten calls from one place: each has as many instructions as the others.
    assert window["instructions"] % 10 == 0 and window["instructions"] < 400
    assert {name: found[name] for name in ("events", "timestamps", "nodes", "calls")} == {
        name: whole[name] for name in ("events", "timestamps", "nodes", "calls")
    }


def test_a_number_of_instructions(info) -> None:  # type: ignore[no-untyped-def]
    found = info("--stream-from", "main", "--stream-for", "5000")
    (window,) = found["stream"]["windows"]
    assert window["ended"] == "for" and 5000 <= window["instructions"] < 5100


def test_the_window_in_words(info, heapstory: Heapstory, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    info("--stream-from", "step#101", "--stream-until", "step#11")
    text = heapstory("info", tmp_path / "t.story").stdout
    assert "stream " in text and "window      step 0 on, " in text and "--stream-until" in text


def test_a_window_that_never_began_is_said(
    compile_program: Compile, heapstory: Heapstory, tmp_path: Path
) -> None:
    trace = tmp_path / "t.story"
    program = compile_program(LOOP)
    done = heapstory("record", "-o", trace, "--stream-from", "nowhere", "--", program)
    assert done.returncode == 0
    assert (
        done.stderr
        == f"heapstory: --stream-from nowhere was never reached, {trace} has no stream\n"
    )


KILLED = r"""
#include <signal.h>
#include <unistd.h>
volatile long counter;
int main(void) {
    for (int i = 0; i < 1000; i++)
        counter += i;
    if (fork() == 0)
        kill(getppid(), SIGKILL);
    else
        pause();
    return 0;
}
"""


def test_of_a_killed_program_nothing_is_lost(
    compile_program: Compile, heapstory: Heapstory, tmp_path: Path
) -> None:
    trace, program = tmp_path / "t.story", compile_program(KILLED)
    done = heapstory("record", "-o", trace, "--stream-from", "main", "--", program)
    assert done.returncode == 128 + 9
    answer = heapstory("info", "--json", trace)
    stream = check_answer(answer.stdout)["stream"]
    assert stream["instructions"] > 5000 and not stream["complete"]
    assert [window["ended"] for window in stream["windows"]] == [None]
    assert "cut off" in heapstory("info", trace).stdout
