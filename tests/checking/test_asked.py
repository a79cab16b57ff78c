"""Leaks of a program that runs, asked for from outside."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import COMMAND, Compile, Heapstory

Start = Callable[..., tuple["subprocess.Popen[str]", int]]


@pytest.fixture
def start(compile_program: Compile, tmp_path: Path) -> Iterator[Start]:
    """Starts the program under `check`; gives both processes when it has lost something."""
    begun: list[subprocess.Popen[str]] = []

    def started(how: str, *options: str) -> tuple[subprocess.Popen[str], int]:
        program = compile_program("checking/asked", "-O0", "-pthread")
        answer = ("--json", str(tmp_path / "end.json"))
        process = subprocess.Popen(
            [COMMAND, "check", *answer, *options, "--", program, how],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        begun.append(process)
        assert process.stdout
        return process, int(process.stdout.readline())

    yield started
    for process in begun:
        process.kill()
        process.communicate()


def scan(heapstory: Heapstory, pid: int, file: Path) -> Any:
    done = heapstory("check", "--scan", str(pid), "--json", file)
    assert done.returncode == 0, done.stderr
    return json.loads(file.read_text())["summary"]["heap"]["leak"]


@pytest.mark.parametrize("how", ["waits", "threads", "runs"])
@pytest.mark.parametrize("light", [(), ("--light",)])
def test_what_is_lost_so_far(
    how: str, light: tuple[str, ...], start: Start, heapstory: Heapstory, tmp_path: Path
) -> None:
    process, pid = start(how, *light)
    for _ in range(2):
        found = scan(heapstory, pid, tmp_path / "now.json")
        assert (found["bytes"], found["blocks"]) == (300, 3)
    if how == "runs":
        os.kill(pid, signal.SIGUSR1)
    process.communicate("x\n", timeout=60)
    assert process.returncode == 0  # no system call was interrupted
    answer = json.loads((tmp_path / "end.json").read_text())
    assert answer["summary"]["heap"]["leak"]["bytes"] == 400
    assert {one["heap"]["leak"]["bytes"] for one in answer["scans"]} == {300}


def test_the_checking_process_will_do_as_well(
    start: Start, heapstory: Heapstory, tmp_path: Path
) -> None:
    process, _ = start("waits")
    assert scan(heapstory, process.pid, tmp_path / "now.json")["blocks"] == 3


@pytest.mark.parametrize("asked", [True, False])
def test_a_killed_program_shows_no_leaks_of_its_end(
    asked: bool, start: Start, heapstory: Heapstory, tmp_path: Path
) -> None:
    process, pid = start("waits")
    if asked:
        scan(heapstory, pid, tmp_path / "now.json")
    os.kill(pid, signal.SIGKILL)
    process.communicate(timeout=60)
    assert process.returncode == 128 + signal.SIGKILL
    summary = json.loads((tmp_path / "end.json").read_text())["summary"]
    assert summary["heap"]["leak"]["bytes"] == (300 if asked else 0)
    assert "leaks at the end" in summary["not_checked"]
    assert ("leaks so far" in summary["checked"]) == asked


def test_a_process_that_cannot_be_asked(heapstory: Heapstory) -> None:
    for pid, words in (("4194399", "there is no process"), (str(os.getpid()), "not being checked")):
        done = heapstory("check", "--scan", pid)
        assert done.returncode == 125
        assert done.stderr.count("\n") == 1
        assert words in done.stderr
