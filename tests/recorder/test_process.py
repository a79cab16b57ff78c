# SPDX-License-Identifier: GPL-2.0-or-later
"""Ends, signals, threads, children: nothing is lost, and the program notices nothing."""

import itertools
import json
import re
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.recorder.recorder import Memory, Result, Trace, compile_program

Run = Callable[..., Result]


def block(result: Result) -> int:
    match = re.search(r"block (0x\w+)", result.output)
    assert match
    return int(match[1], 16)


def words(trace: Trace, address: int, *numbers: int) -> list[int]:
    memory = Memory(trace.records)
    return [int.from_bytes(memory.read(address + 8 * n, 8), "little") for n in numbers]


def scanned(trace: Trace, kind: str = "stack") -> set[int]:
    return {value for r in trace.of("SCAN") if r.kind == kind for _, value in r.words}


@pytest.mark.parametrize(("what", "status"), [("exit", 7), ("_exit", 8)])
def test_exit(run: Run, what: str, status: int) -> None:
    result = run("recorder/ends.c", what)
    end = result.trace.end
    assert result.status == status and (end["state"], end["status"]) == ("exited", status)
    assert [r.value for r in result.trace.of("EXIT")] == [status]
    assert words(result.trace, block(result), 1) == [1001]


@pytest.mark.parametrize(
    ("what", "number"),
    [("abort", signal.SIGABRT), ("segv", signal.SIGSEGV), ("term", signal.SIGTERM)],
)
def test_fatal_signal(run: Run, what: str, number: int) -> None:
    result = run("recorder/ends.c", what)
    end = result.trace.end
    assert result.status == -number and (end["state"], end["status"]) == ("signalled", number)
    (crash,) = result.trace.of("CRASH")
    assert crash.value & 0xFF == number
    assert result.records.index(crash) < result.records.index(result.trace.of("SCAN")[0])


def test_store_before_the_fault_in_the_same_block(run: Run) -> None:
    result = run("recorder/ends.c", "segv")
    assert words(result.trace, block(result), 10, 11) == [111, 0]
    (crash,) = result.trace.of("CRASH")
    assert any(
        r.site and r.site.pc < crash.address < r.site.pc + 32 for r in result.trace.of("STORE")[-1:]
    )


def test_stack_overflow(run: Run) -> None:
    result = run("recorder/ends.c", "overflow")
    assert result.status == -signal.SIGSEGV
    assert words(result.trace, block(result), 42)[0] > 10000
    assert int(result.output.split("kept ")[1].split()[0], 16) and result.trace.of("SCAN")


def test_exec_of_a_program_that_cannot_be_recorded(run: Run, tmp_path: Path) -> None:
    program = tmp_path / "setuid"
    program.write_bytes(Path("/bin/true").read_bytes())
    program.chmod(0o4755)
    result = run("recorder/ends.c", "exec-other", program)
    assert result.status == 0 and result.trace.end["state"] == "exec"


def test_kill_loses_nothing(run: Run) -> None:
    result = run("recorder/ends.c", "kill")
    assert result.status == -signal.SIGKILL and result.trace.end["state"] in (
        "running",
        "signalled",
    )
    assert words(result.trace, block(result), 1) == [1001]


def test_fault_inside_memcpy(run: Run) -> None:
    result = run("recorder/ends.c", "memcpy")
    assert result.status == -signal.SIGSEGV
    ranges = [r for r in result.trace.of("RANGE") if r.address == block(result) + 160]
    assert len(ranges) == 1 and result.records.index(ranges[0]) < result.records.index(
        result.trace.of("CRASH")[0]
    )


@pytest.mark.parametrize("what", ["memcpy", "strcpy", "strcat", "memset"])
def test_failed_check_ends_as_in_the_c_library(run: Run, what: str) -> None:
    result = run("recorder/overflow.c", what)
    assert result.status == -signal.SIGABRT and "buffer overflow detected" in result.errors
    assert words(result.trace, block(result), 0, 1) == [0, 0]


def test_caught_fault(run: Run) -> None:
    result = run("recorder/ends.c", "caught")
    assert result.status == 0
    assert words(result.trace, block(result), 2, 10, 11) == [1002, 111, 1000 + signal.SIGSEGV]
    assert [r.value for r in result.trace.of("SIGNAL")] == [signal.SIGSEGV]


def test_threads(run: Run) -> None:
    result = run("recorder/ends.c", "thread")
    trace, start = result.trace, block(result)
    assert words(trace, start, 1, 3) == [1001, 1003]
    running, by_thread = 1, {}
    for r in trace.records:
        if r.tag == "SWITCH":
            running = r.address
        elif r.tag == "STORE":
            by_thread[r.address] = running
    assert by_thread[start + 8] == 1 and by_thread[start + 24] == 2
    assert {r.address for r in trace.of("THREAD_END")} == {1, 2}


def test_last_thread_exits(run: Run) -> None:
    result = run("recorder/ends.c", "thread-exit")
    assert result.status == 0 and result.trace.end["state"] == "exited"
    assert words(result.trace, block(result), 3) == [1003]


@pytest.mark.parametrize(
    ("what", "status"), [("fork", 9), ("fork-exec", 5), ("vfork", 5), ("spawn", 6)]
)
def test_children_are_not_recorded_and_do_not_disturb(run: Run, what: str, status: int) -> None:
    result = run("recorder/ends.c", what)
    assert result.status == 0 and "children -1" in result.output
    assert words(result.trace, block(result), 2, 50, 51) == [1002, 0, status]
    assert not (result.trace.folder.parent / "trace.1").exists()


def test_children_can_be_followed(run: Run) -> None:
    result = run("recorder/ends.c", "fork", options=("--follow-children=yes",), traces=2)
    parent, child = result.traces
    if parent.end["status"] == 9:
        parent, child = child, parent
    assert words(parent, block(result), 2, 50, 51) == [1002, 0, 9]
    assert words(child, block(result), 1, 50) == [1001, 299999]
    assert child.end["status"] == 9 and child.of("BEGIN") and child.of("STACK")
    assert any(r.address == block(result) for r in child.of("ALLOC"))


def test_exec_ends_one_trace_and_begins_another(run: Run) -> None:
    result = run("recorder/ends.c", "exec", traces=2)
    first, second = result.traces
    assert result.status == 7
    assert first.end["state"] == "exec" and first.of("EXECVE")[-1].kind.endswith("ends")
    assert (second.end["state"], second.end["status"]) == ("exited", 7)


def test_failed_exec_changes_nothing(run: Run) -> None:
    result = run("recorder/ends.c", "bad-exec")
    assert words(result.trace, block(result), 2, 51) == [1002, 2]
    assert result.trace.end["state"] == "exited"


def test_longjmp_and_calls(run: Run) -> None:
    result = run("recorder/ends.c", "longjmp")
    trace, start = result.trace, block(result)
    assert words(trace, start, 2, 40, 41) == [1002, 0, 0]
    stores = [
        i for i, r in enumerate(trace.records) if r.tag == "STORE" and r.address == start + 320
    ]
    assert [trace.records[i].value for i in stores] == [5, 4, 3, 2, 1, 0]
    for before, after in itertools.pairwise(stores):
        calls = [r for r in trace.records[before:after] if r.tag == "CALL"]
        assert len(calls) == 1 and calls[0].site and calls[0].site.own


def test_signal_handler(run: Run) -> None:
    result = run("recorder/ends.c", "signal")
    trace, records = result.trace, result.records
    (start,), (end,) = trace.of("SIGNAL"), trace.of("SIGRETURN")
    inside = records[records.index(start) : records.index(end)]
    assert start.value == signal.SIGUSR2 and start.address == end.address
    assert any(r.tag == "STORE" and r.value == 1000 + signal.SIGUSR2 for r in inside)


def test_alternate_stack(run: Run) -> None:
    result = run("recorder/ends.c", "altstack")
    assert words(result.trace, block(result), 2, signal.SIGUSR1) == [1002, 1000 + signal.SIGUSR1]


def test_system_call_that_writes(run: Run) -> None:
    result = run("recorder/ends.c", "read")
    (written,) = [
        r
        for r in result.trace.of("RANGE")
        if r.kind == "syscall" and r.address == block(result) + 480
    ]
    assert written.payload == b"by the kernel"


def test_roots_are_scanned_at_the_end(run: Run) -> None:
    result = run("recorder/ends.c", "abort")
    assert scanned(result.trace) or scanned(result.trace, "registers")
    kept = int(result.output.split("kept ")[1].split()[0], 16)
    stores = [r.address for r in result.trace.of("STORE") if r.value == kept]
    assert stores  # the global variable that keeps it


def test_stdin_is_the_programs(run: Run) -> None:
    result = run("recorder/ends.c", "stdin", stdin="hello\n")
    assert "line hello" in result.output and result.errors == ""


def test_collector_gets_no_other_descriptors(run: Run) -> None:
    result = run("recorder/ends.c", "exit")
    # 0 1 2, ring, socket, and what Python itself has open by then
    assert max(json.loads((result.trace.folder / "fds.json").read_text())) <= 7


def test_collector_that_dies_is_not_the_programs_problem(run: Run) -> None:
    result = run("recorder/ends.c", "fork", options=("--collector-arg=--die-after",), traces=0)
    assert result.status == 0 and result.errors == ""


def test_missing_collector_is_one_line_and_125(recorder_library: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [
            "valgrind",
            "--tool=heapstory",
            "-q",
            "--collector=/no/such",
            "--trace=x",
            "/bin/echo",
            "no",
        ],
        env={"VALGRIND_LIB": str(recorder_library), "PATH": "/usr/bin"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 125 and done.stdout == "" and done.stderr.count("\n") == 1
    assert "collector" in done.stderr


def test_dlopen(run: Run, tmp_path: Path) -> None:
    library = compile_program("recorder/library.c", tmp_path, "-shared", "-fPIC").rename(
        tmp_path / "library.so"
    )
    result = run("recorder/dlopen.c", library)
    memory = Memory(result.records)
    for address, data in result.truths("global") + result.truths("block"):
        assert memory.read(address, len(data)) == data
    maps = [r for r in result.trace.of("MAP") if r.kind == str(library)]
    assert maps and all(r.more for r in maps)  # own
    assert any(r.value >> 56 & 4 for r in maps)
    (gone,) = [r for r in result.trace.of("UNMAP") if r.address == maps[0].address]
    assert gone.value >= 3000 * 8


def test_own_is_what_lies_outside_system_folders(run: Run, tmp_path: Path) -> None:
    result = run("recorder/ends.c", "exit")
    own = {Path(r.kind).name: r.more for r in result.trace.of("MAP")}
    assert own["ends"] and not own["libc.so.6"] and not own["vgpreload_heapstory-amd64-linux.so"]
