"""Which moments are C-points, and whose they are."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Compile, Heapstory, Record
from tests.support.programs import program


def located(
    name: str, compile_program: Compile, record: Record, heapstory: Heapstory, *flags: str
) -> tuple[int, dict[str, Any]]:
    trace = record(compile_program(f"locating/{name}", "-O0", *flags))
    done = heapstory("locate", trace, "--spec", program(f"locating/{name}.spec"), "--json")
    return done.returncode, json.loads(done.stdout)


def test_main_may_write_the_structure(
    compile_program: Compile, record: Record, heapstory: Heapstory
) -> None:
    """There is a C-point after each of the twelve calls all the same."""
    status, answer = located("main_writes", compile_program, record, heapstory)
    assert status == 0
    assert sum(point["function"] == "push" for point in answer["cpoints"]) == 12
    assert answer["types"] == {"node": 12} and "push" in answer["functions"]
    status, answer = located("main_writes", compile_program, record, heapstory, "-DFAULT")
    assert status == 1
    assert answer["bad"]["function"] == "push" and answer["cpoints_checked"] == 8


def test_another_thread_may_be_in_the_middle_of_an_operation(
    compile_program: Compile, record: Record, heapstory: Heapstory
) -> None:
    status, answer = located("two_threads", compile_program, record, heapstory, "-pthread")
    assert status == 0, answer["inconsistencies"]
    assert sum(point["function"] == "push" for point in answer["cpoints"]) == 6


@pytest.mark.parametrize(("compiler", "level"), [("gcc", "-O2"), ("clang", "-O3")])
def test_optimised_code_has_the_same_cpoints(
    compiler: str, level: str, compile_program: Compile, record: Record, heapstory: Heapstory
) -> None:
    """Operations are inlined into main, helpers in their middle are not, and others end with a
    jump. The first append writes nothing that the specification reads, so only its call shows."""

    def answer(*flags: str) -> tuple[int, dict[str, Any], str]:
        debug = ("-gdwarf-4",) if compiler == "clang" else ()
        built = compile_program("locating/inlined", *debug, *flags, compiler=compiler)
        spec = program("locating/inlined.spec")
        done = heapstory("locate", record(built), "--spec", spec, "--json")
        return done.returncode, json.loads(done.stdout), done.stderr

    def appended(points: list[dict[str, Any]]) -> list[int]:
        return [point["place"]["line"] for point in points if point["function"] == "append"]

    status, plain, _ = answer("-O0")
    assert status == 0
    status, optimised, said = answer(level)
    assert status == 0, optimised["inconsistencies"]
    assert "inlined: append" in said
    assert appended(optimised["cpoints"]) == appended(plain["cpoints"])[1:]
    assert sum(point["function"] == "remove_second" for point in optimised["cpoints"]) == 40

    status, plain, _ = answer("-O0", "-DFAULT=60")
    assert status == 1
    status, optimised, _ = answer(level, "-DFAULT=60")
    assert status == 1
    assert optimised["statements"][0]["line"] == plain["statements"][0]["line"]
    assert optimised["bad"]["place"]["line"] == plain["bad"]["place"]["line"]


@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_a_loop_of_an_inlined_operation_is_not_its_end(
    level: str, compile_program: Compile, record: Record, heapstory: Heapstory
) -> None:
    """The insertion calls a helper in its last loop, and stores before that whenever it is entered:
    the calls in the loop are not taken for entries."""

    def answer(*flags: str) -> tuple[int, dict[str, Any]]:
        built = compile_program("locating/inlined_insert", level, *flags)
        spec = program("locating/inlined_insert.spec")
        done = heapstory("locate", record(built), "--spec", spec, "--json")
        return done.returncode, json.loads(done.stdout)

    status, said = answer()
    assert status == 0, said["inconsistencies"]
    status, said = answer("-DFAULT=30")
    assert status == 1
    source = program("locating/inlined_insert.c").read_text().splitlines()
    assert "faulty" in source[said["statements"][0]["line"] - 1]


@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_what_a_destructor_leaves_behind_is_freed_next(
    level: str, record: Record, heapstory: Heapstory, tmp_path: Path
) -> None:
    source = program("locating/destructor.cpp")

    def answer(name: str, *flags: str) -> tuple[int, dict[str, Any]]:
        built = tmp_path / name
        subprocess.run(["g++", "-g", level, *flags, source, "-o", built], check=True)
        spec = program("locating/destructor.spec")
        done = heapstory("locate", record(built), "--spec", spec, "--json")
        return done.returncode, json.loads(done.stdout)

    status, said = answer("correct")
    assert status == 0, said["inconsistencies"]
    status, said = answer("faulty", "-DFAULT")
    assert status == 1
    lines = source.read_text().splitlines()
    assert "faulty" in lines[said["statements"][0]["line"] - 1]


@pytest.mark.parametrize("level", ["-O0", "-O1"])
def test_what_an_operation_returns_is_stored_before_the_structure_is_whole(
    level: str, compile_program: Compile, record: Record, heapstory: Heapstory
) -> None:
    status, answer = located("results", compile_program, record, heapstory, level, "-fno-inline")
    assert status == 0, answer["inconsistencies"]
    assert sum(point["function"] == "pop" for point in answer["cpoints"]) == 10
    status, answer = located(
        "results", compile_program, record, heapstory, level, "-fno-inline", "-DFAULT"
    )
    assert status == 1
    marks = program("locating/results.c").read_text().splitlines()
    result = 1 + next(i for i, line in enumerate(marks) if "// RESULT" in line)
    assert result in {statement["line"] for statement in answer["statements"]}
    assert answer["bad"]["function"] == "pop"


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_two_branches_may_store_results_in_one_place(
    compiler: str, compile_program: Compile, record: Record, heapstory: Heapstory, tmp_path: Path
) -> None:
    spec = program("locating/shared_end.spec")
    for fault, status in ((), 0), (("-DFAULT=22",), 1):
        flags = ("-O2", "-fno-inline", *fault)
        built = compile_program("locating/shared_end", *flags, compiler=compiler)
        done = heapstory("locate", record(built), "--spec", spec, "--json")
        answer = json.loads(done.stdout)
        assert done.returncode == status, answer["inconsistencies"]
    assert answer["bad"]["function"] == "pop"
