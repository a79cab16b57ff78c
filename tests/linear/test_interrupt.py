"""Ctrl-C ends ``heapstory prove`` wherever it is, long before its time limit."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.linear.mutants import EXAMPLES
from tests.support.waiting import wait_until

LIMIT = 3600  # seconds: what is not interrupted meets the limit of the test instead


def interrupted(*words: str) -> int:
    """Its exit status, when it is interrupted while more than one thread works."""
    command = [str(Path(sys.executable).parent / "heapstory"), "prove", "--timeout", str(LIMIT)]
    process = subprocess.Popen([*command, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    threads = Path(f"/proc/{process.pid}/task")
    wait_until(lambda: process.poll() is not None or len(list(threads.iterdir())) > 1)
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    process.communicate()
    return process.returncode


@pytest.mark.parametrize(
    "words",
    [
        (str(EXAMPLES / "timestamped_stack.lin"),),
        ("--exhaustive", "9", str(EXAMPLES / "elimination_stack.lin")),
        ("--c", str(EXAMPLES / "c" / "ms_queue.c"), "--implements", "queue"),
    ],
)
def test_an_interrupt_ends_it(words: tuple[str, ...]) -> None:
    assert interrupted(*words) == 130
