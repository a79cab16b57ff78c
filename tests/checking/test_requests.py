"""Memcheck's client requests, which heapstory understands as Memcheck does."""

from __future__ import annotations

import subprocess

import pytest

from tests.checking.checking import Check, Memcheck, line_of, lines
from tests.conftest import Compile
from tests.support.programs import program

SOURCE = program("checking/requests.c")
WRONG = {
    "blocks": ("over a told block", "under a told block", "a told block after its end"),
    "pools": ("over a pool's block", "after it was given back", "after trimming"),
}


@pytest.mark.parametrize("what", WRONG)
def test_blocks_that_the_program_tells_of(
    what: str, compile_program: Compile, check: Check, memcheck: Memcheck
) -> None:
    built = compile_program("checking/requests", "-O0")
    answer = check(built, what, options=("--no-leaks",))
    assert lines(answer) == {("InvalidRead", line_of(SOURCE, remark)) for remark in WRONG[what]}
    assert lines(answer) == memcheck(built, what)


def test_memory_that_it_makes_inaccessible(compile_program: Compile, check: Check) -> None:
    built = compile_program("checking/requests", "-O0")
    answer = check(built, "access", options=("--no-leaks",))
    assert answer["printed"] == "0 64\n"
    found = {error["place"]["line"] for error in answer["errors"]}
    assert found == {line_of(SOURCE, "made inaccessible"), line_of(SOURCE, "asked")}


def test_a_told_block_has_its_birth(compile_program: Compile, check: Check) -> None:
    errors = check(compile_program("checking/requests", "-O0"), "blocks")["errors"]
    assert {error["block"]["size"] for error in errors} == {20}
    births = [error["block"]["allocated"] for error in errors]
    assert {(told["function"], by["function"]) for told, by, *_ in births} == {("get", "blocks")}
    assert {by["line"] for _, by, *_ in births} == {line_of(SOURCE, "got")}
    assert sum(error["block"]["freed"] is not None for error in errors) == 1


def test_undefined_bits_can_be_asked_for_and_set(
    compile_program: Compile, check: Check, memcheck: Memcheck
) -> None:
    built = compile_program("checking/requests", "-O0")
    answer = check(built, "bits", options=("--no-leaks",))
    assert answer["printed"] == "1 0 255 15 255 0 3\n"
    assert lines(answer) == {("UninitCondition", line_of(SOURCE, "a bit that was told"))}
    assert lines(answer) == memcheck(built, "bits", values=True)


def test_values_of_told_blocks_that_were_never_set(
    compile_program: Compile, check: Check, memcheck: Memcheck
) -> None:
    built = compile_program("checking/requests", "-O0")
    answer = check(built, "unset", options=("--no-leaks",))
    remarks = ("in a told block", "in a pool", "in a variable that is told")
    expected = {("UninitCondition", line_of(SOURCE, f"unset {remark}")) for remark in remarks}
    assert lines(answer) == expected == memcheck(built, "unset", values=True)
    assert answer["returned"] == 0


# By the argument of the program: what Memcheck finds, at which remarks.
ASKED = {
    "wrong-frees": {
        "told twice": "InvalidFree",
        "never told": "InvalidFree",
        "grown and not set": "UninitCondition",
        "over a grown block": "InvalidRead",
        "resized and never told": "InvalidFree",
        "twice in a pool": "InvalidFree",
    },
    "questions": {"asked of a block": "ClientCheck", "asked of a variable": "ClientCheck"},
    "silence": {"told again": "InvalidRead"},
    "foreign-frees": {
        "malloc's, given back by a request": "MismatchedFree",
        "after that": "InvalidRead",
        "told, and freed": "MismatchedFree",
        "freed by free": "InvalidRead",
        "told, and freed twice": "InvalidFree",
    },
    "ranges": {"behind the range": "InvalidRead", "wanted again": "InvalidRead"},
    "counts": {"five times": "InvalidRead", "a bad free counts": "InvalidFree"},
}


# What requests answer, as Memcheck does.
PRINTED = {"ranges": "1 0 1\n", "counts": "5 6 6\n"}


@pytest.mark.parametrize("what", ASKED)
def test_requests_that_are_wrong_or_ask(
    what: str, compile_program: Compile, check: Check, memcheck: Memcheck
) -> None:
    built = compile_program("checking/requests", "-O0")
    answer = check(built, what, options=("--no-leaks",))
    expected = {(kind, line_of(SOURCE, remark)) for remark, kind in ASKED[what].items()}
    assert lines(answer) == expected == memcheck(built, what, values=True)
    assert answer["printed"] == PRINTED.get(what, "")


@pytest.mark.parametrize("option", ["--no-heuristics", "--light"])
def test_leaks_are_counted_while_the_program_runs(
    option: str, compile_program: Compile, check: Check
) -> None:
    built = compile_program("checking/requests", "-O0")
    command = ["valgrind", "-q", "--leak-check=full", built, "leaks"]
    memcheck = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert memcheck.stdout == "0 0 26/2 30/1 10/1 0/0 26 0\n"
    assert check(built, "leaks", options=(option,))["printed"] == memcheck.stdout
