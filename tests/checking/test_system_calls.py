"""System calls of which it is not known what they write."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.checking.checking import Check, Memcheck, line_of
from tests.conftest import Compile, Heapstory
from tests.support.programs import program

SOURCE = program("checking/system_calls.c")
# What the program calls, all of it hidden.
HIDDEN = [
    "stat", "newfstatat", "statx", "statfs", "getcwd", "clock_gettime", "clock_getres",
    "gettimeofday", "times", "getrlimit", "getrusage", "sysinfo", "uname", "getresuid",
    "sched_getaffinity", "rt_sigprocmask", "rt_sigpending", "pipe2", "socketpair", "read",
    "readv", "recvmsg", "getsockname", "getsockopt", "ioctl",
]  # fmt: skip
OPTIONS = tuple(word for name in HIDDEN for word in ("--hide-syscall", name))


@pytest.fixture(params=["-O0", "-O2"])
def built(request: pytest.FixtureRequest, compile_program: Compile) -> Path:
    return compile_program("checking/system_calls", request.param)


def lines(answer: Any) -> set[int]:
    return {error["place"]["line"] for error in answer["errors"]}


def test_what_is_known_is_not_told(built: Path, check: Check) -> None:
    assert check(built, "known")["errors"] == []


def test_what_is_hidden_is_found_out(built: Path, check: Check) -> None:
    without = check(built, "known", options=(*OPTIONS, "--without", "sentinels"))["errors"]
    found = check(built, "known", options=OPTIONS)["errors"]
    assert len(without) >= len(HIDDEN)  # one for each call at the least
    assert len(found) <= 0.05 * len(without)


def test_codes_that_valgrind_does_not_know(built: Path, check: Check, memcheck: Memcheck) -> None:
    expected = {line_of(SOURCE, "discipline"), line_of(SOURCE, "locks")}
    assert {line for _, line in memcheck(built, "unknown", values=True)} >= expected
    assert check(built, "unknown")["errors"] == []


def test_what_was_not_written_is_as_it_was(compile_program: Compile, check: Check) -> None:
    answer = check(compile_program("checking/system_calls"), "unwritten")
    assert lines(answer) == {line_of(SOURCE, "compared"), line_of(SOURCE, "left")}


def test_a_call_that_nobody_knows_is_refused(built: Path, heapstory: Heapstory) -> None:
    done = heapstory("check", "--hide-syscall", "no_such_call", "--", built, "known")
    assert (done.returncode, done.stderr.count("\n")) == (125, 1)
    assert "no_such_call" in done.stderr
