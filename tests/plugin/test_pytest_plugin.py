"""The plugin of pytest, used as a project would: in a pytest of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.programs import ROOT

TESTS = """
import subprocess

def test_that_it_lists():
    assert subprocess.run(["./catalogue"]).returncode == 0

def test_that_it_fails():
    subprocess.run(["./catalogue"], check=True)
    assert False, "something is wrong"

def test_in_a_shell():
    assert subprocess.run("./catalogue > /dev/null", shell=True).returncode == 0

def test_the_structure(heapstory):
    trace = heapstory.record(["./catalogue"])
    assert trace.last > 0
    heapstory.locate(trace, "catalogue.spec")

def test_memory(heapstory):
    heapstory.check(["./leaky"])

def test_clean_memory(heapstory):
    heapstory.check("./clean")
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name in ("catalogue.c", "catalogue.spec"):
        (tmp_path / name).write_text((ROOT / "examples" / name).read_text())
    programs = {
        "leaky": "int main(void) { char *p = malloc(8); p[8] = 1; p = 0; return 0; }",
        "clean": "int main(void) { free(malloc(8)); return 0; }",
    }
    for name, text in programs.items():
        (tmp_path / f"{name}.c").write_text(f"#include <stdlib.h>\n{text}\n")
    for name in ("catalogue", *programs):
        subprocess.run(["gcc", "-g", "-O0", "-o", name, f"{name}.c"], cwd=tmp_path, check=True)
    (tmp_path / "test_it.py").write_text(TESTS)
    (tmp_path / "pytest.ini").write_text("[pytest]\nheapstory_spec = catalogue.spec\n")
    return tmp_path


def run(project: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-q", *words]
    return subprocess.run(command, cwd=project, capture_output=True, text=True, timeout=240)


def test_programs_that_tests_start_are_recorded(project: Path) -> None:
    done = run(project, "--heapstory", "-k", "lists or fails or shell")
    assert "1 failed, 2 passed" in done.stdout
    # The report of the failing test has the answer, and its trace stays.
    assert "catalogue.c:39 in lift_right" in done.stdout
    assert "heapstory: " in done.stdout
    kept = [folder.name for folder in (project / ".heapstory").iterdir()]
    assert kept == ["test_it.py_test_that_it_fails"]


def test_nothing_is_recorded_unless_asked_for(project: Path) -> None:
    done = run(project, "-k", "lists")
    assert "1 passed" in done.stdout
    assert not (project / ".heapstory").exists()


def test_the_fixture_shows_the_answer(project: Path) -> None:
    done = run(project, "-k", "structure or memory")
    assert "2 failed, 1 passed" in done.stdout, done.stdout
    assert "catalogue.c:39 in lift_right" in done.stdout
    assert "unaddressable-write" in done.stdout or "leaky.c:2" in done.stdout
