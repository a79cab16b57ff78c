"""Figure 9 of the MG++ paper: the list of free chunks of glibc itself, in mode internals."""

from __future__ import annotations

import json

import pytest

from tests.conftest import Compile, Heapstory, Record
from tests.support.programs import program as source

ABORTED = 134
INTERNALS = ("--mode", "internals")


@pytest.fixture(autouse=True)
def no_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    """Chunks of the thread's own cache are in other lists, whose pointers are mangled."""
    monkeypatch.setenv("GLIBC_TUNABLES", "glibc.malloc.tcache_count=0")


def test_what_overwrote_a_free_chunk(
    compile_program: Compile, record: Record, heapstory: Heapstory
) -> None:
    program = compile_program("locating/figure9", "-O0", "-DFAULT=1")
    trace = record(program, options=INTERNALS, status=ABORTED)
    done = heapstory("locate", trace, "--spec", "glibc_free_list", "--cpoint", "crash", "--json")
    assert done.returncode == 1, done.stderr
    answer = json.loads(done.stdout)
    text = source("locating/figure9.c").read_text().splitlines()
    faulty = next(n for n, line in enumerate(text, 1) if "/* faulty */" in line)
    assert answer["statements"][0]["line"] == faulty
    assert answer["statements"][0]["file"] == "figure9.c"


def test_what_overwrote_the_rest_of_a_split_chunk(
    compile_program: Compile, record: Record, heapstory: Heapstory
) -> None:
    program = compile_program("locating/split_chunk", "-O0", "-DFAULT=1")
    trace = record(program, options=INTERNALS)
    done = heapstory("locate", trace, "--spec", "glibc_free_list", "--json")
    assert done.returncode == 1, done.stderr
    text = source("locating/split_chunk.c").read_text().splitlines()
    faulty = next(n for n, line in enumerate(text, 1) if "/* faulty */" in line)
    assert [place["line"] for place in json.loads(done.stdout)["statements"]] == [faulty]


# With some seeds a chunk begins right before a node of its own, which holds its pointers.
@pytest.mark.parametrize(
    ("name", "option"),
    [
        ("figure9", "-DFAULT=0"),
        ("split_chunk", "-DFAULT=0"),
        *(("many_chunks", f"-DSEED={seed}") for seed in (1, 2, 6, 8)),
    ],
)
def test_free_lists_of_a_correct_program_are_whole(
    name: str, option: str, compile_program: Compile, record: Record, heapstory: Heapstory
) -> None:
    program = compile_program(f"locating/{name}", "-O0", option)
    trace = record(program, options=INTERNALS)
    done = heapstory("locate", trace, "--spec", "glibc_free_list", "--cpoint", "end")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "held" in done.stdout


def test_other_modes_do_not_have_them(
    compile_program: Compile, record: Record, heapstory: Heapstory
) -> None:
    trace = record(compile_program("locating/figure9", "-O0", "-DFAULT=0"))
    done = heapstory("locate", trace, "--spec", "glibc_free_list")
    assert done.returncode == 2
    assert "--mode internals" in done.stderr
