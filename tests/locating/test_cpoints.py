"""Which moments are C-points, and whose they are."""

from __future__ import annotations

import json
from typing import Any

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
