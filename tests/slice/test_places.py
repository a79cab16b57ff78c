# SPDX-License-Identifier: GPL-2.0-or-later
"""What a stream knows of the program's own code: statements, and where variables are."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from heapstory import _core
from tests.conftest import Compile
from tests.slice.recorded import recorded

# Says where its variables are, from the canonical frame address.
PROGRAM = r"""
#include <stdio.h>
#include <stdlib.h>
struct pair { long left, right; };
long total;
static inline __attribute__((always_inline)) long twice(long value) {
    long doubled = value + value; /* inlined */
    return doubled;
}
__attribute__((noinline)) long work(long *cells, int count, struct pair pair) {
    static long calls;
    long sum = pair.left;
    calls++;
    for (int i = 0; i < count; i++) {
        long cell = cells[i]; /* load */
        sum += twice(cell); /* call */
    }
    total = sum + pair.right; /* total */
    if (count > 1000)
        total = 0; /* never */
#ifdef SAY
    char *frame = (char *)__builtin_frame_address(0) + 16;
    printf("sum %ld\ncount %ld\ncalls %ld\n", (char *)&sum - frame, (char *)&count - frame,
           (long)&calls);
#endif
    return sum;
}
int main(int argc, char **argv) {
    long *cells = malloc(4 * sizeof *cells);
    for (int i = 0; i < 4; i++)
        cells[i] = i;
    return work(cells, 4, (struct pair){argc, 2}) == 0;
}
"""
FILE = "program.c"
Open = Callable[..., _core.Slicer]


def line(comment: str) -> int:
    return next(n for n, text in enumerate(PROGRAM.splitlines(), 1) if f"/* {comment} */" in text)


@pytest.fixture
def opened(compile_program: Compile, tmp_path: Path) -> Open:
    """opened(*flags) is the stream of the program built so."""

    def opened(*flags: str, compiler: str = "gcc") -> _core.Slicer:
        program = compile_program(PROGRAM, *flags, compiler=compiler)
        return _core.Slicer(recorded(program, tmp_path))

    return opened


def variable(slicer: _core.Slicer, comment: str, name: str) -> _core.CodeVariable:
    address = slicer.addresses(FILE, line(comment))[0]
    return next(one for one in slicer.variables(address) if one["name"] == name)


@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_lines_and_back(opened: Open, level: str) -> None:
    slicer = opened(level)
    for comment in ("call", "total"):
        found = slicer.addresses(FILE, line(comment))
        assert found
        for address in found:
            places = slicer.place(address)
            assert places[0]["line"] == line(comment) and places[-1]["function"] == "work"
            assert Path(places[0]["path"] or "").name == FILE
            assert slicer.count(address) > 0


def test_only_what_ran_has_a_place(opened: Open) -> None:
    slicer = opened()
    assert slicer.addresses(FILE, line("never")) == []
    assert slicer.addresses("nowhere.c", line("load")) == []
    assert slicer.addresses(f"x{FILE}", line("load")) == slicer.addresses("rogram.c", 1) == []
    assert slicer.place(1) == [] and slicer.variables(1) == []


def test_a_line_without_instructions_of_its_own(opened: Open) -> None:
    """The load is part of the sum: where it was to begin, another statement has the instruction."""
    slicer = opened("-O2")
    (address,) = slicer.addresses(FILE, line("load"))
    assert slicer.place(address)[0]["line"] == line("inlined")


def test_inlined_code_knows_its_caller(opened: Open) -> None:
    slicer = opened()
    address = slicer.addresses(FILE, line("inlined"))[0]
    inner, outer = slicer.place(address)
    assert (inner["function"], outer["function"]) == ("twice", "work")
    assert outer["line"] == line("call")
    assert [one["name"] for one in slicer.variables(address)][:2] == ["value", "doubled"]


def test_variables_in_scope(opened: Open) -> None:
    slicer = opened()
    address = slicer.addresses(FILE, line("load"))[0]
    sizes = {one["name"]: one["size"] for one in slicer.variables(address)}
    assert list(sizes)[:2] == ["cell", "i"]  # the innermost scope comes first
    assert sizes == {
        "cell": 8, "i": 4, "cells": 8, "count": 4, "pair": 16, "sum": 8, "calls": 8,
    }  # fmt: skip
    outside = slicer.addresses(FILE, line("total"))[0]
    assert {one["name"] for one in slicer.variables(outside)} == set(sizes) - {"cell", "i"}


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_where_variables_are(compiler: str, compile_program: Compile, tmp_path: Path) -> None:
    """clang counts from the frame pointer, gcc from the frame address: both end up there."""
    flags = ("-O0", "-DSAY", "-no-pie")
    program = compile_program(PROGRAM, *flags, compiler=compiler)
    said = subprocess.run([program], capture_output=True, text=True, check=True).stdout
    slicer = _core.Slicer(recorded(program, tmp_path))
    for name, where in (("sum", "frame"), ("count", "frame"), ("calls", "address")):
        found = variable(slicer, "total", name)
        assert (found["where"], f"{name} {found['at']}\n" in said) == (where, True)
        assert found["piece"] == (0, found["size"])


def test_optimised_variables(opened: Open) -> None:
    slicer = opened("-O2")
    found = variable(slicer, "total", "sum")
    assert found["where"] == "registers" and found["at"] % 8 == 0 and found["at"] < 128
    assert variable(slicer, "total", "calls")["where"] == "address"
    # The address of the array is no longer needed there, but it was a parameter.
    assert variable(slicer, "total", "cells")["size"] == 8
