"""Values that were never set: what depends on them, which line, where they came from."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.checking.checking import Check, Memcheck, kind, line_of, lines
from tests.conftest import Compile
from tests.support.programs import program

SOURCE = program("checking/values.c")
ENDED = 3
FLAGS = ["-O0", "-O2"]
PLAIN = ("-fno-builtin", "-fno-optimize-sibling-calls", "-w")
KINDS = {
    "heap": "uninitialized-condition",
    "variable": "uninitialized-condition",
    "returned": "uninitialized-condition",
    "by-index": "uninitialized-address",
    "through-pointer": "uninitialized-address",
    "call": "uninitialized-address",
    "written": "uninitialized-argument",
    "in-register": "uninitialized-argument",
    "copied": "uninitialized-condition",
    "grown": "uninitialized-condition",
    "filled": "uninitialized-condition",
    "compared": "uninitialized-condition",
    "measured": "uninitialized-condition",
    "real": "uninitialized-condition",
    "single": "uninitialized-condition",
    "long-real": "uninitialized-condition",
    "one-bit": "uninitialized-condition",
    "shifted": "uninitialized-condition",
    "chosen": "uninitialized-condition",
    "allocated-there": "uninitialized-condition",
    "stale": "uninitialized-condition",
    "swapped": "uninitialized-condition",
    "unmapped": "unaddressable-read",
}
ON_STACK = {"variable": "variable", "returned": "made", "stale": "stale"}


@pytest.mark.parametrize("flags", FLAGS)
@pytest.mark.parametrize("what", KINDS)
def test_values_are_noticed_where_memcheck_notices_them(
    what: str, flags: str, compile_program: Compile, check: Check, memcheck: Memcheck
) -> None:
    built = compile_program("checking/values", flags, *PLAIN)
    answer = check(built, what, options=("--no-leaks",))
    assert answer["returned"] == ENDED
    found = {(kind(error), error["place"]["line"]) for error in answer["errors"]}
    assert found == {(KINDS[what], line_of(SOURCE, what))}, answer["said"]
    assert lines(answer) == memcheck(built, what, values=True)


@pytest.mark.parametrize("flags", FLAGS)
def test_nothing_is_said_where_nothing_depends_on_a_value(
    flags: str, compile_program: Compile, check: Check
) -> None:
    answer = check(compile_program("checking/values", flags, *PLAIN), "right")
    assert answer["returned"] == ENDED
    assert answer["printed"].split("\n") == [
        *("padding", "copies", "bit fields", "logic", "parts", "stack", "")
    ]
    assert answer["errors"] == [], answer["said"]


def test_a_value_from_a_block_has_its_allocation(compile_program: Compile, check: Check) -> None:
    (error,) = check(compile_program("checking/values", "-O0", *PLAIN), "copied")["errors"]
    assert error["block"]["size"] == 40
    assert error["block"]["allocated"][0]["line"] == line_of(SOURCE, "made here")


@pytest.mark.parametrize(("what", "function"), ON_STACK.items())
def test_a_value_from_a_variable_has_its_function(
    what: str, function: str, compile_program: Compile, check: Check
) -> None:
    (error,) = check(compile_program("checking/values", "-O0", *PLAIN), what)["errors"]
    assert error["block"] is None
    assert error["text"].endswith(f"from a variable of {function}")


def test_light_does_not_look_at_values(
    compile_program: Compile, check: Check, tmp_path: Path
) -> None:
    answer = check(compile_program("checking/values"), "heap", options=("--light",))
    assert answer["errors"] == []
    assert "values that were never set" in answer["summary"]["not_checked"]


ATOMIC = """\
#include <stdatomic.h>
#include <stdlib.h>
struct both { _Atomic long a; _Atomic int n; };
int main(void) {
    struct both *set = malloc(sizeof *set), *added = malloc(sizeof *added);
    _Atomic long *compared = malloc(sizeof *compared);
    long expected = 7;
    atomic_exchange(&set->a, 5L);
    atomic_store(&set->n, 3);
    atomic_fetch_add(&added->n, 1);
    if (set->a != 5 || set->n != 3)
        return 1;
    if (atomic_compare_exchange_strong(compared, &expected, 8))
        abort();
    return 3;
}
"""


@pytest.mark.parametrize("flag", FLAGS)
def test_atomic_operations_decide_nothing_by_themselves(
    flag: str, compile_program: Compile, check: Check, memcheck: Memcheck
) -> None:
    built = compile_program(ATOMIC, flag)
    assert {line for _, line in lines(check(built))} == {13}
    assert {line for _, line in memcheck(built, values=True)} == {13}
