"""What forked children lose, and what a daemon does after the program has ended."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path

import pytest

from tests.conftest import COMMAND, Compile, Heapstory
from tests.guarding.guarding import Guard, line_of
from tests.support.programs import program
from tests.support.waiting import wait_until

FLAGS = ("-O1", "-pthread")
ENDED = 3


def line(text: str) -> int:
    return line_of(program("guarding/children.c"), text)


@pytest.mark.parametrize("times", [1, 50])
def test_what_a_child_loses(times: int, compile_program: Compile, guard: Guard) -> None:
    answer = guard(compile_program("guarding/children", *FLAGS), "lost", str(times))
    assert (answer["returned"], answer["processes"]) == (ENDED, times + 1)
    (found,) = answer["findings"]
    assert (found["kind"], found["count"]) == ("leak", times)
    assert found["place"]["line"] == line("lost in a child")
    many = "1 block" if times == 1 else f"{times} blocks"
    assert found["text"] == f"{33 * times} bytes in {many} that nothing refers to"
    assert ("in 50 processes" in answer["said"]) == (times == 50)


@pytest.mark.parametrize("what", ["kept", "register", "inherited", "threads", "none"])
def test_what_a_child_does_not_lose(what: str, compile_program: Compile, guard: Guard) -> None:
    """What others refer to is no leak, nor is what it inherits: that is its parent's affair."""
    answer = guard(compile_program("guarding/children", *FLAGS), what)
    assert (answer["returned"], answer["findings"]) == (ENDED, [])


def test_leaks_of_children_are_not_searched_with_light(
    compile_program: Compile, guard: Guard
) -> None:
    built = compile_program("guarding/children", *FLAGS)
    assert guard(built, "lost", options=("--light",))["findings"] == []


def test_a_daemon_is_waited_for(compile_program: Compile, guard: Guard) -> None:
    """It goes on where its parent ended: what it inherited is its own then."""
    built = compile_program("guarding/children", *FLAGS)
    answer = guard(built, "daemon", options=("--wait",))
    assert (answer["returned"], answer["processes"], answer["remarks"]) == (ENDED, 2, [])
    assert {found["kind"] for found in answer["findings"]} == {"leak"}
    lines = {found["place"]["line"] for found in answer["findings"]}
    assert lines == {line("lost in a child"), line("lost by a daemon")}


WAITS = """#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static char array[16];
int main(void) {
    sigset_t all;
    int number;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    pid_t parent = getpid();
    if (fork())
        return 3;
    while (getppid() == parent)
        usleep(1000);
    printf("%d\\n", getpid()), fflush(stdout);
    do
        sigwait(&all, &number);
    while (number != SIGTERM && number != SIGINT);
    free(array); /* wrong */
    puts("freed"), fflush(stdout);
    while (number == SIGINT)
        pause();
    return 4;
}
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_what_ends_the_wait_for_a_daemon(
    number: signal.Signals, compile_program: Compile, tmp_path: Path
) -> None:
    """A signal is passed on to it; a second one ends the wait, and what is known is reported."""
    file, log = tmp_path / "answer.json", tmp_path / "said"
    words = [COMMAND, "guard", "--wait", "--json", file, "--", compile_program(WAITS, "-O0", "-w")]
    with log.open("w") as to:  # a pipe would be open until the daemon ends
        guarding = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=to, text=True)
    with guarding:
        assert guarding.stdout
        daemon = int(guarding.stdout.readline())
        children = Path(f"/proc/{guarding.pid}/task/{guarding.pid}/children")
        wait_until(lambda: children.read_text().split() == [str(daemon)])
        guarding.send_signal(number)
        assert guarding.stdout.readline() == "freed\n"
        if number == signal.SIGINT:
            guarding.send_signal(number)
        assert guarding.wait() == ENDED
    if number == signal.SIGINT:
        os.kill(daemon, signal.SIGKILL)
    answer = json.loads(file.read_text())
    assert [found["kind"] for found in answer["findings"]] == ["bad-free"]
    assert ("still runs" in log.read_text()) == (number == signal.SIGINT)


def test_a_scan_waits_for_nobody(heapstory: Heapstory) -> None:
    done = heapstory("guard", "--wait", "--scan", str(os.getpid()))
    assert (done.returncode, done.stderr.count("\n")) == (125, 1)
    assert "--wait is for a program to start" in done.stderr
