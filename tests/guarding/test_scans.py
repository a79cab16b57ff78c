"""Scans while a program runs: what is lost, what is withdrawn, and that nobody is disturbed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import Compile, Heapstory
from tests.guarding.guarding import Guard, line_of
from tests.support.programs import ROOT, program
from tests.support.schemas import check

INCLUDE = f"-I{ROOT / 'src/heapstory/include'}"
FLAGS = ("-O1", "-pthread", INCLUDE)
ENDED = 3


def line(text: str) -> int:
    return line_of(program("guarding/scans.c"), text)


@pytest.mark.parametrize(
    ("what", "withdrawn", "kinds"),
    [
        ("found", 1, []),
        ("freed", 1, []),
        ("declared", 0, []),
        ("threads", 0, []),
        ("deaf", 0, ["leak"]),
        ("without-main", 0, ["leak"]),
        ("stored", 0, []),
    ],
)
def test_what_scans_find(
    what: str, withdrawn: int, kinds: list[str], compile_program: Compile, guard: Guard
) -> None:
    answer = guard(compile_program("guarding/scans", *FLAGS), what)
    assert (answer["returned"], answer["printed"]) == (ENDED, "")
    assert [found["kind"] for found in answer["findings"]] == kinds
    assert answer["scans"][-1]["withdrawn"] == withdrawn
    assert [scan["number"] for scan in answer["scans"]] == list(range(1, len(answer["scans"]) + 1))


def test_a_thread_that_cannot_be_stopped(compile_program: Compile, guard: Guard) -> None:
    answer = guard(compile_program("guarding/scans", *FLAGS), "stone-deaf")
    assert (answer["returned"], answer["printed"]) == (ENDED, "")
    *running, last = answer["scans"]
    assert [(scan["certain"], scan["lost"]) for scan in running] == [(False, 0)] * 3
    assert all(scan["suspected"] >= 1 for scan in running)
    assert (last["certain"], last["lost"], last["withdrawn"]) == (True, 1, 0)
    (found,) = answer["findings"]
    assert found["block"]["allocated"][0]["line"] == line("hidden")
    assert any("ran on" in text and "registers" in text for text in answer["remarks"])


@pytest.mark.parametrize("what", ["masks", "waiting", "own-handler", "own-wait"])
def test_a_program_sees_the_signals_it_set(
    what: str, compile_program: Compile, heapstory: Heapstory
) -> None:
    built = compile_program("guarding/signals", *FLAGS)
    bare = subprocess.run([built, what], capture_output=True, text=True, check=True)
    guarded = heapstory("guard", "--", built, what)
    assert (guarded.returncode, guarded.stdout) == (0, bare.stdout)
    assert bare.stdout
    assert ("uses the signal of scans" in guarded.stderr) == what.startswith("own")


def test_a_scan_looks_at_fences(compile_program: Compile, guard: Guard) -> None:
    answer = guard(compile_program("guarding/scans", *FLAGS), "fences")
    assert answer["returned"] == ENDED
    found = {each["place"]["line"] for each in answer["findings"]}
    assert {each["kind"] for each in answer["findings"]} == {"broken-fence"}
    assert found == {line("kept and overrun"), line("noticed again")}


def test_an_alias_names_all_three_statements(compile_program: Compile, guard: Guard) -> None:
    answer = guard(compile_program("guarding/scans", *FLAGS), "alias")
    assert answer["returned"] == ENDED
    (found,) = [each for each in answer["findings"] if each["kind"] == "alias"]
    assert found["place"]["line"] == line("given out again")
    assert found["block"]["allocated"][0]["line"] == line("made first")
    assert found["block"]["freed"][0]["line"] == line("freed too early")


def test_without_the_guard_a_scan_is_nothing(compile_program: Compile) -> None:
    source = """#include "heapstory.h"
int main(void) { HEAPSTORY_MINE((void *)0); return (int)HEAPSTORY_SCAN(); }
"""
    built = compile_program(source, INCLUDE)
    assert subprocess.run([built], check=False).returncode == 0


CHURN = """#include "heapstory.h"
#include <pthread.h>
#include <stdlib.h>
static volatile int over;
static void *churn(void *unused) {
    while (!over) {
        void *volatile some[8];
        for (int i = 0; i < 8; i++)
            some[i] = malloc(600);
        for (int i = 0; i < 8; i++)
            free(some[i]);
    }
    return unused;
}
int main(void) {
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, churn, NULL);
    for (int i = 0; i < 100; i++)
        HEAPSTORY_SCAN();
    over = 1;
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 3;
}
"""


def test_blocks_that_threads_are_just_freeing(compile_program: Compile, guard: Guard) -> None:
    """Or giving out: their patterns are not yet or no longer there."""
    answer = guard(compile_program(CHURN, "-O1", "-pthread", INCLUDE))
    assert answer["returned"] == ENDED
    assert [each for each in answer["findings"] if each["kind"] != "leak"] == []


def test_a_process_is_scanned_from_outside(
    compile_program: Compile, heapstory: Heapstory, tmp_path: Path
) -> None:
    built = compile_program("guarding/scans", *FLAGS)
    words = [Path(sys.executable).with_name("heapstory"), "guard", "--", built, "waiting"]
    with subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as running:
        assert running.stdin and running.stdout and running.stderr
        assert running.stdout.readline() == "ready\n"
        pid = child_of(running.pid)
        file = tmp_path / "scan.json"
        done = heapstory("guard", "--scan", str(pid), "--json", file, "--error-exitcode", "9")
        assert done.returncode == 9
        assert "HEAPSTORY_MINE(hidden); or" in done.stdout
        answer = check("guard", file.read_text())
        (found,) = answer["findings"]
        assert (found["kind"], found["place"]["line"]) == ("leak", line("hidden"))
        assert heapstory("guard", "--scan", str(pid), "--json", file).returncode == 0
        again = json.loads(file.read_text())
        assert [scan["number"] for scan in again["scans"]] == [1, 2]
        running.stdin.write("\n")
        running.stdin.close()
        assert running.wait() == ENDED


def child_of(pid: int) -> int:
    return int(Path(f"/proc/{pid}/task/{pid}/children").read_text().split()[0])


def test_processes_that_cannot_be_scanned(heapstory: Heapstory) -> None:
    with subprocess.Popen(["sleep", "60"]) as other:
        done = heapstory("guard", "--scan", str(other.pid))
        alive = other.poll() is None
        other.send_signal(signal.SIGTERM)
    assert (done.returncode, alive) == (125, True)
    assert "not guarded" in done.stderr and done.stderr.count("\n") == 1
    gone = heapstory("guard", "--scan", str(other.pid))
    assert (gone.returncode, "no such process" in gone.stderr) == (125, True)


# Runs until its own report tells of three scans, however long they take.
UNTIL_SCANNED = """#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static void *volatile lost;
int main(void) {
    char path[300], line[400];
    snprintf(path, sizeof path, "%s/process.%d", getenv("HEAPSTORY_GUARD_REPORT"), getpid());
    lost = malloc(123);
    lost = NULL;
    for (int scans = 0; scans < 3;) {
        void *volatile block = malloc(50);
        free(block);
        FILE *report = fopen(path, "r");
        for (scans = 0; report && fgets(line, sizeof line, report);)
            scans += line[0] == 'T';
        if (report)
            fclose(report);
    }
    return 3;
}
"""


@pytest.mark.parametrize("options", [("--scan-every", "0.1"), ("--scan-budget", "50")])
def test_scans_again_and_again(
    options: tuple[str, ...], compile_program: Compile, guard: Guard
) -> None:
    answer = guard(compile_program(UNTIL_SCANNED, "-O0"), options=options)
    assert answer["returned"] == ENDED
    assert len(answer["scans"]) >= 4
    (found,) = answer["findings"]
    assert (found["kind"], found["block"]["size"]) == ("leak", 123)
    assert answer["scans"][-1]["withdrawn"] == 0


def test_usage_of_scans(heapstory: Heapstory) -> None:
    numbers = [("--scan-budget", "0"), ("--scan-every", "-1"), ("--scan-every", "x")]
    for words in (("--scan", "0"), ("--scan", "x"), ("--scan-budget", "a%"), *numbers):
        done = heapstory("guard", *words, "--", "true")
        assert done.returncode == 125 and f"{words[1]}: not a" in done.stderr
    assert heapstory("guard", "--scan", str(os.getpid()), "--", "true").returncode == 125
