"""The recipes of docs/how-to.md for CTest, Meson and GitHub, each used in a small project."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.support.programs import ROOT
from tests.support.schemas import check as check_schema

BIN = Path(sys.executable).parent
HOW_TO = (ROOT / "docs" / "how-to.md").read_text()
GOOD = "#include <stdlib.h>\nint main(void) { free(malloc(8)); return 0; }\n"
LOST = "#include <stdlib.h>\nint main(void) {\n    return malloc(8) == NULL;\n}\n"
BAD = "#include <stdlib.h>\nint main(void) {\n    char *p = malloc(8);\n    p[8] = 1;\n    free(p);\n    return 0;\n}\n"  # noqa: E501


def run(*words: str | Path, cwd: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PATH": f"{BIN}:{os.environ['PATH']}", **variables}
    command = [str(word) for word in words]
    return subprocess.run(
        command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=200
    )


def recipe(start: str, with_word: str = "") -> str:
    """The command of the how-to that begins with these words, without its continued lines."""
    commands = re.findall(rf"^{re.escape(start)}(?:.*\\\n)*.*$", HOW_TO, re.MULTILINE)
    found = [one.replace("\\\n", " ") for one in commands if with_word in one]
    assert found, start
    return str(found[0])


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "good.c").write_text(GOOD)
    (tmp_path / "bad.c").write_text(BAD)
    return tmp_path


def test_ctest(project: Path) -> None:
    (project / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.20)\nproject(it C)\nenable_testing()\n"
        "foreach(name good bad)\n  add_executable(${name} ${name}.c)\n"
        "  add_test(NAME ${name} COMMAND ${name})\nendforeach()\n"
    )
    plain = "cmake -S . -B plain -DCMAKE_BUILD_TYPE=Debug"
    assert run("sh", "-ec", f"{plain} && cmake --build plain", cwd=project).returncode == 0
    assert run("ctest", "--test-dir", "plain", cwd=project).returncode == 0  # nothing is seen
    made = run("sh", "-ec", f"{recipe('cmake -B')} && cmake --build build", cwd=project)
    assert made.returncode == 0, made.stderr
    done = run("ctest", "--test-dir", "build", "--output-on-failure", cwd=project)
    assert done.returncode != 0
    assert re.search(r"good \.+ +Passed", done.stdout)
    assert re.search(r"bad \.+\*\*\*Failed", done.stdout)
    assert "bad.c:4" in done.stdout


def test_ctest_memory_checker(project: Path) -> None:
    (project / "lost.c").write_text(LOST)
    (project / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.20)\nproject(it C)\ninclude(CTest)\n"
        "foreach(name good bad lost)\n  add_executable(${name} ${name}.c)\n"
        "  add_test(NAME ${name} COMMAND ${name} --word)\nendforeach()\n"
    )
    (project / "known.supp").write_text("{\n  lost\n  Memcheck:Leak\n  src:lost.c:3\n}\n")
    made = run("sh", "-ec", f"{recipe('cmake -B', 'MEMORYCHECK')} && cmake --build build",
               cwd=project)  # fmt: skip
    assert made.returncode == 0, made.stderr
    done = run("sh", "-c", recipe("ctest", "memcheck"), cwd=project)
    assert done.returncode != 0
    assert re.search(r"good \.+ +Passed", done.stdout)
    assert re.search(r"^IPW - 1$", done.stdout, re.MULTILINE)  # CTest's name for a bad write
    assert re.search(r"^Memory Leak - 1$", done.stdout, re.MULTILINE)
    logs = [
        (project / f"build/Testing/Temporary/MemoryChecker.{n}.log").read_text() for n in (1, 2, 3)
    ]
    assert ["bad.c:4" in log for log in logs] == [False, True, False]
    assert ["lost.c:3" in log for log in logs] == [False, False, True]
    # Nothing set but the checker: CTest adds Valgrind's options, and the suppressions.
    known = "-DMEMORYCHECK_SUPPRESSIONS_FILE=$PWD/known.supp"
    bare = f"cmake -B build -UMEMORYCHECK_COMMAND_OPTIONS {known}"
    assert run("sh", "-c", bare, cwd=project).returncode == 0
    done = run("sh", "-c", recipe("ctest", "memcheck"), cwd=project)
    assert done.returncode == 0, done.stdout  # the tests themselves pass
    assert re.search(r"^IPW - 1$", done.stdout, re.MULTILINE)
    assert "Memory Leak -" not in done.stdout


def test_meson(project: Path) -> None:
    (project / "meson.build").write_text(
        "project('it', 'c', default_options: ['buildtype=debug'])\n"
        "foreach name : ['good', 'bad']\n  test(name, executable(name, name + '.c'))\nendforeach\n"
    )
    assert run("meson", "setup", "build", cwd=project).returncode == 0
    assert run("meson", "test", "-C", "build", cwd=project).returncode == 0
    done = run("sh", "-c", recipe("meson test"), cwd=project)
    assert done.returncode != 0
    assert re.search(r"good +OK", done.stdout)
    assert re.search(r"bad +FAIL", done.stdout)
    assert "bad.c:4" in (project / "build/meson-logs/testlog-heapstory.txt").read_text()


def test_the_action_is_one() -> None:
    done = run("check-jsonschema", "--builtin-schema", "vendor.github-actions", ROOT / "action.yml",
               cwd=ROOT)  # fmt: skip
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(("name", "status", "results"), [("bad", 99, 1), ("good", 0, 0)])
def test_the_step_of_the_action(project: Path, name: str, status: int, results: int) -> None:
    assert run("gcc", "-g", "-o", name, f"{name}.c", cwd=project).returncode == 0
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    (step,) = (step for step in action["runs"]["steps"] if step.get("id") == "check")
    given = {"COMMAND": f"./{name} 'a word'", "OPTIONS": "--no-leaks"}
    done = run("bash", "-ec", step["run"], cwd=project, **given, SARIF="x.sarif", TRACE="x.story")
    assert done.returncode == status, done.stderr
    log = json.loads((project / "x.sarif").read_text())
    check_schema("sarif", json.dumps(log))
    assert len(log["runs"][0]["results"]) == results
    assert (project / "x.story").is_dir()
