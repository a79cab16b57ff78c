"""heapstory record from end to end: the program stays itself, and every failure is one line."""

from __future__ import annotations

import contextlib
import json
import os
import resource
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

import heapstory as api
from heapstory.errors import HeapstoryError
from tests.conftest import COMMAND, Compile, Heapstory, Record
from tests.support.waiting import wait_until

ECHO = r"""
#include <stdio.h>
int main(int argc, char **argv) {
    char line[100];
    for (int i = 0; i < argc; i++)
        printf("[%s]", argv[i]);
    while (fgets(line, sizeof line, stdin))
        fputs(line, stderr);
    return 3;
}
"""

NOISE = r"""
#include <stdlib.h>
int main(void) {
    unsigned long *block = malloc(80000), x = 88172645463325252ul;
    for (long n = 0; n < 3000000; n++) {
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        block[x % 10000] = x;
    }
    return 0;
}
"""


def block_word(trace: api.Trace, index: int) -> int | None:
    """What crash.c wrote into its block."""
    rows = trace.query("SELECT node FROM nodes WHERE kind = 'heap' AND size = 24 ORDER BY node")
    node = trace.node(rows[0][0])
    last = (node.freed.timestamp or 1) - 1 if node.freed else None
    data = trace.value(node.address + 8 * index, 8, last)
    return None if data is None else int.from_bytes(data, "little")


def test_the_program_is_itself(
    compile_program: Compile, heapstory: Heapstory, tmp_path: Path
) -> None:
    program = compile_program(ECHO)
    words = [program, "--", "-v", "a b", "%p"]
    plain = subprocess.run(words, input="one\ntwo\n", capture_output=True, text=True)
    done = heapstory(
        "record", "-o", tmp_path / "t%p.story", "--", *words, input="one\ntwo\n", cwd=tmp_path
    )
    assert (done.returncode, done.stdout, done.stderr) == (3, plain.stdout, plain.stderr)
    assert (tmp_path / "t%p.story" / "meta.json").exists()


def test_the_environment_is_the_callers_but_for_valgrinds_own(
    heapstory: Heapstory, tmp_path: Path
) -> None:
    plain = [f"{name}={value}" for name, value in os.environ.items()]
    done = heapstory("record", "-o", tmp_path / "t.story", "--", "env")
    names = {line.partition("=")[0] for line in set(done.stdout.splitlines()) ^ set(plain)}
    assert names - {"LD_PRELOAD", "HEAPSTORY", "GLIBCPP_FORCE_NEW", "HEAPSTORY_DEBUG"} == set()


def test_valgrind_options_of_the_user_do_not_matter(heapstory: Heapstory, tmp_path: Path) -> None:
    (tmp_path / ".valgrindrc").write_text("--tool=none --nonsense=1\n")
    done = heapstory("record", "--", "true", cwd=tmp_path, env={"VALGRIND_OPTS": "--nonsense=2"})
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "true.story").is_dir()


@pytest.mark.parametrize(
    ("how", "status", "code", "number"),
    [
        ("", 5, 5, None),
        ("segv", 139, None, signal.SIGSEGV),
        ("abort", 134, None, signal.SIGABRT),
        ("kill", 137, None, signal.SIGKILL),
        ("_exit", 7, 7, None),
        ("fork", 5, 5, None),
    ],
)
def test_every_ending_keeps_what_came_before(
    compile_program: Compile, record: Record, how: str, status: int, code: int, number: int
) -> None:
    trace = api.open(record(compile_program("recording/crash"), how, status=status))
    info = trace.info()
    assert (info.exit_code, info.exit_signal) == (code, number)
    assert block_word(trace, 1) == 4711
    assert block_word(trace, 2) == (34 if how == "fork" else None)
    assert info.complete


def test_exec_ends_one_trace_and_begins_the_next(compile_program: Compile, record: Record) -> None:
    path = record(compile_program("recording/crash"), "exec", status=7)
    first, second = api.open(path), api.open(path.with_suffix(".1.story"))
    assert first.info().ended == "exec"
    assert block_word(first, 2) == 12
    assert (second.info().exit_code, block_word(second, 1)) == (7, 4711)


def test_a_followed_child_has_its_own_trace(compile_program: Compile, record: Record) -> None:
    path = record(
        compile_program("recording/crash"), "fork", status=5, options=("--follow-children",)
    )
    traces = sorted(entry for entry in path.parent.iterdir() if entry.suffix == ".story")
    assert len(traces) == 2
    assert block_word(api.open(path), 1) == 4711
    child = next(entry for entry in traces if entry != path)
    assert api.open(child).info().exit_code == 0


def has_nodes(trace: Path) -> bool:
    """Whether a recording that goes on has written what one can look at."""
    try:
        return bool(api.open(trace).graph().nodes)
    except HeapstoryError:
        return False


@pytest.fixture
def running(
    compile_program: Compile, tmp_path: Path
) -> Iterator[tuple[subprocess.Popen[str], Path]]:
    """A recording of a program that stores for ever, after its first moments."""
    trace = tmp_path / "t.story"
    process = subprocess.Popen(
        [COMMAND, "record", "-o", trace, "--", compile_program("recording/crash"), "wait"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,  # its processes are a group, of which none must be left
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        wait_until(lambda: has_nodes(trace))
        yield process, trace
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def children(name: str, trace: Path) -> list[int]:
    """The processes of a recording whose command line names the trace."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            words = (entry / "cmdline").read_bytes().decode(errors="replace")
            if name in (entry / "comm").read_text() and str(trace) in words:
                found.append(int(entry.name))
        except (OSError, ValueError):
            continue
    return found


@pytest.mark.parametrize(
    ("victims", "status"),
    [(("heapstory-amd64",), 137), (("heapstory-colle",), None), (("heapstory",), None)],
)
def test_a_recording_killed_in_the_middle_opens(
    running: tuple[subprocess.Popen[str], Path], victims: tuple[str, ...], status: int | None
) -> None:
    process, trace = running

    def left() -> set[int]:
        pids = {pid for name in ("memcheck", *victims) for pid in children(name, trace)}
        return pids - {process.pid}

    for pid in left():
        os.kill(pid, signal.SIGKILL)
    wait_until(lambda: not left())
    if children("heapstory-amd64", trace):  # without its collector the program runs on
        process.send_signal(signal.SIGTERM)
    _, err = process.communicate()
    if status is not None:
        assert process.returncode == status
    else:
        assert process.returncode in (125, 137)
        assert "Traceback" not in err
    opened = api.open(trace)
    assert opened.info().complete is False
    assert opened.graph().nodes


def test_ctrl_c_reaches_the_program(running: tuple[subprocess.Popen[str], Path]) -> None:
    process, trace = running
    process.send_signal(signal.SIGINT)
    process.communicate()
    assert process.returncode == 130
    assert api.open(trace).info().exit_signal == signal.SIGINT


def test_a_full_disk_is_said_and_what_fits_opens(
    compile_program: Compile, tmp_path: Path, heapstory: Heapstory
) -> None:
    """A file may not grow beyond a limit; the kernel says so as it does of a full disk."""
    program = compile_program(NOISE)

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (6 << 20, 6 << 20))  # the ring needs 4 MiB

    trace = tmp_path / "t.story"
    done = heapstory("record", "-o", trace, "--", program, preexec_fn=limit)
    assert done.returncode == 125
    assert done.stderr.count("\n") == 1
    assert str(trace) in done.stderr
    assert api.open(trace).info().complete is False


def test_scripts_are_recorded_through_their_interpreter(
    tmp_path: Path, heapstory: Heapstory
) -> None:
    for line in ("#!/bin/sh", "#!/usr/bin/env sh"):
        script = tmp_path / "script"
        script.write_text(f"{line}\necho hello $1\nexit 4\n")
        script.chmod(0o755)
        done = heapstory("record", "--force", "--", script, "you", cwd=tmp_path)
        assert (done.returncode, done.stdout) == (4, "hello you\n")
        assert api.open(tmp_path / "script.story").info().program == [str(script), "you"]


def test_programs_that_cannot_be_recorded(
    compile_program: Compile, tmp_path: Path, heapstory: Heapstory
) -> None:
    static = compile_program("recording/crash", "-static")
    setuid = tmp_path / "setuid"
    shutil.copy(compile_program("recording/crash"), setuid)
    setuid.chmod(0o4755)
    for program, words in ((static, "statically linked"), (setuid, "is setuid")):
        done = heapstory("record", "--", program, cwd=tmp_path)
        assert done.returncode == 126
        assert words in done.stderr
        assert done.stderr.count("\n") == 1
    assert not list(tmp_path.glob("*.story"))


def test_without_valgrind(tmp_path: Path, heapstory: Heapstory) -> None:
    (tmp_path / "true").symlink_to("/bin/true")
    asked = {"PATH": str(tmp_path), "HEAPSTORY_VALGRIND": "valgrind"}
    done = heapstory("record", "--", "true", cwd=tmp_path, env=asked)
    assert done.returncode == 125
    assert done.stderr == "heapstory: valgrind is not installed (apt-get install valgrind)\n"


def test_an_existing_trace_is_kept(record: Record, heapstory: Heapstory) -> None:
    trace = record("true")
    before = (trace / "meta.json").read_bytes()
    done = heapstory("record", "-o", trace, "--", "true")
    assert done.returncode == 125
    assert "--force" in done.stderr
    assert (trace / "meta.json").read_bytes() == before


def test_meta_says_how_it_was_recorded(record: Record) -> None:
    trace = record("true", options=("--no-source", "--for", "1000000"))
    meta = json.loads((trace / "meta.json").read_text())
    assert meta["program"] == ["true"]
    assert meta["mode"] == "alloc"
    assert meta["exit"] == {"code": 0, "signal": None}
    assert meta["complete"] is True
    assert meta["options"] == ["--collector-arg=--for=1000000", "--collector-arg=--no-source"]
    assert api.open(trace).meta == meta


def test_doctor_is_content(heapstory: Heapstory) -> None:
    done = heapstory("doctor", "--json")
    body = json.loads(done.stdout)
    assert (done.returncode, body["healthy"]) == (0, True), body
    assert body["schema"] == "heapstory.doctor/1"
