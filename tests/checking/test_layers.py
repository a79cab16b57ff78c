"""Allocators of the program's own, named by --alloc-fn and --free-fn."""

from __future__ import annotations

from typing import Any

import pytest

from tests.checking.checking import Check, line_of
from tests.conftest import Compile
from tests.support.programs import program

SOURCE = program("checking/layers.c")
OPTIONS = (
    *("--alloc-fn", "pool_get:1", "--free-fn", "pool_put", "--alloc-fn", "pool_more:1"),
    *("--alloc-fn", "wrapped:1", "--alloc-fn", "outer:1", "--alloc-fn", "many:1*2"),
    *("--alloc-fn", "fails:1", "--alloc-fn", "kinded"),
)


def lines(answer: Any) -> set[int]:
    return {error["place"]["line"] for error in answer["errors"]}


@pytest.mark.parametrize("flags", ["-O0", "-O2"])
@pytest.mark.parametrize(
    ("what", "remarks"),
    [
        ("pool", {"over the end", "after it was put back"}),
        ("wrappers", {"behind wrapped", "behind outer", "behind many"}),
        ("tail", {"behind pool_more"}),
        ("left", {"found after longjmp"}),
        ("kinded", {"behind kinded"}),
    ],
)
def test_only_what_the_program_does_is_wrong(
    what: str, remarks: set[str], flags: str, compile_program: Compile, check: Check
) -> None:
    answer = check(compile_program("checking/layers", flags), what, options=OPTIONS)
    assert lines(answer) == {line_of(SOURCE, remark) for remark in remarks}, answer["said"]
    assert answer["returned"] == 0


def test_a_pool_is_one_block_without_names(compile_program: Compile, check: Check) -> None:
    assert check(compile_program("checking/layers"), "pool")["errors"] == []


@pytest.mark.parametrize("flags", ["-O0", "-O2"])
def test_blocks_have_the_size_that_was_asked_for(
    flags: str, compile_program: Compile, check: Check
) -> None:
    built = compile_program("checking/layers", flags)
    errors = check(built, "wrappers", options=OPTIONS)["errors"]
    assert sorted(error["block"]["size"] for error in errors) == [10, 11, 15]
    assert all("right behind" in error["text"] for error in errors)
    for error in errors:
        assert error["block"]["allocated"][0]["function"] == "wrapper_errors"
    (tail,) = check(built, "tail", options=OPTIONS)["errors"]
    assert tail["block"]["size"] == 200
    pool = check(built, "pool", options=OPTIONS)["errors"]
    assert [error["block"]["size"] for error in pool] == [20, 20]
    assert [error["block"]["freed"] is not None for error in pool] == [False, True]


def test_what_was_never_called_is_not_looked_for(compile_program: Compile, check: Check) -> None:
    names = ("--alloc-fn", "pool_get:1", "--alloc-fn", "pool_gte:1", "--free-fn", "pool::put")
    answer = check(compile_program("checking/layers"), "pool", options=names)
    never = [text for text in answer["summary"]["not_checked"] if "no call of it was seen" in text]
    assert [text.split()[1] for text in never] == ["pool_gte", "pool::put"]
    assert check(compile_program("checking/layers"), "pool")["summary"]["not_checked"][2:] == []


CAUGHT = """\
#include <cstdlib>
#include <new>
#include <stdexcept>

__attribute__((noinline)) void *make(std::size_t n) {
    if (n > 100)
        throw std::bad_alloc();
    return std::malloc(n);
}

__attribute__((noinline)) int deep(volatile char *p) {
    volatile char room[300];
    room[5] = p[8]; /* wrong */
    return room[5];
}

int main() {
    volatile char *p = static_cast<char *>(make(8));
    for (int i = 0; i < 8; i++)
        p[i] = 1;
    for (int i = 0; i < 2; i++)
        try {
            make(200);
        } catch (const std::bad_alloc &) {
        }
    int seen = deep(p);
    std::free(const_cast<char *>(p));
    return seen & 0;
}
"""


def test_an_exception_leaves_a_layer(compile_program: Compile, check: Check) -> None:
    built = compile_program(CAUGHT, "-x", "c++", compiler="g++")
    answer = check(built, options=("--alloc-fn", "make:1"))
    assert lines(answer) == {13}
    assert [error["block"]["size"] for error in answer["errors"]] == [8]
