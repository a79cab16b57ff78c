"""Which moments are C-points, and whose they are."""

from __future__ import annotations

import json
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
