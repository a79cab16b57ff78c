"""Threads, forks, exec, signals, lack of memory: no false report, no lost one, no change."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.conftest import Compile, Heapstory
from tests.guarding.guarding import Guard, errors, line_of
from tests.support.programs import program

MODES = ["--light", "", "--thorough"]


def line(text: str) -> int:
    return line_of(program("guarding/processes.c"), text)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("what", ["threads", "vfork", "signals", "no-memory", "alignment", "none"])
def test_nothing_is_reported_where_nothing_is_wrong(
    mode: str, what: str, compile_program: Compile, guard: Guard
) -> None:
    built = compile_program("guarding/processes", "-O1", "-pthread")
    answer = guard(built, what, options=(mode,) if mode else ())
    assert (answer["returned"], errors(answer)) == (3, [])


def test_of_two_threads_that_free_a_block_one_is_wrong(
    compile_program: Compile, guard: Guard
) -> None:
    answer = guard(compile_program("guarding/processes", "-O1", "-pthread"), "race")
    assert {found["kind"] for found in errors(answer)} == {"double-free"}
    assert sum(found["count"] for found in errors(answer)) == 1000


def test_findings_of_children_are_merged(compile_program: Compile, guard: Guard) -> None:
    answer = guard(compile_program("guarding/processes", "-O1", "-pthread"), "forks")
    (found,) = errors(answer)
    assert (found["kind"], found["count"], answer["processes"]) == ("double-free", 20, 21)
    assert found["place"]["line"] == line("in a child")


def test_what_a_process_becomes_is_guarded_too(compile_program: Compile, guard: Guard) -> None:
    answer = guard(compile_program("guarding/processes", "-O1", "-pthread"), "exec")
    (found,) = errors(answer)
    assert (found["kind"], found["place"]["line"]) == ("bad-free", line("after exec"))


def test_a_handler_of_the_program_is_its_own(compile_program: Compile, guard: Guard) -> None:
    answer = guard(compile_program("guarding/processes", "-O1", "-pthread"), "handler")
    assert (answer["returned"], answer["crash"]) == (9, None)


def test_a_program_that_closes_every_file_loses_no_report(
    compile_program: Compile, guard: Guard
) -> None:
    answer = guard(compile_program("guarding/processes", "-O1", "-pthread"), "closed")
    assert [found["kind"] for found in errors(answer)] == ["bad-free"]


def test_a_report_that_cannot_be_written_goes_to_stderr(
    compile_program: Compile, heapstory: Heapstory, tmp_path: Path
) -> None:
    """Every write to the report fails: a full disk, as far as the library can tell."""
    built = compile_program("guarding/processes", "-O1", "-pthread")
    script = f"ulimit -f 0; trap '' XFSZ; exec {built} became"
    done = heapstory("guard", "--", "/bin/sh", "-c", script, cwd=tmp_path)
    assert done.returncode == 3
    assert "guard cannot write its report" in done.stderr
    assert " bad-free " in done.stderr
    assert "could not be written" in done.stderr and "guard: 0 findings, 1 report missing" in (
        done.stderr.splitlines()
    )
    strict = ("guard", "--error-exitcode", "99", "--", "/bin/sh", "-c", script)
    assert heapstory(*strict, cwd=tmp_path).returncode == 125


def test_a_malloc_of_the_program_is_said(compile_program: Compile, guard: Guard) -> None:
    source = """#include <stddef.h>
static char pool[1 << 20];
static size_t used;
void *malloc(size_t size) { used = (used + 15) & ~15; used += size; return pool + used - size; }
void free(void *block) { (void)block; }
void *calloc(size_t count, size_t size) { return malloc(count * size); }
void *realloc(void *block, size_t size) { (void)block; return malloc(size); }
int main(void) { return malloc(10) == NULL; }
"""
    answer = guard(compile_program(source, "-O0", "-fno-builtin"))
    assert answer["returned"] == 0
    assert any("malloc of its own" in text for text in answer["remarks"])


def test_a_program_that_takes_the_address_of_malloc_has_none_of_its_own(
    compile_program: Compile, guard: Guard
) -> None:
    source = """#include <stdlib.h>
int main(void) {
    void *(*volatile make)(size_t) = malloc;
    free(make(10));
    return 0;
}
"""
    answer = guard(compile_program(source, "-O0", "-no-pie", "-fno-pic"))
    assert answer["remarks"] == []


NEW = """#include <cstdlib>
#include <cstring>
#include <new>
struct alignas(64) wide { char bytes[64]; };
int main(int, char **words) {
    if (!std::strcmp(words[1], "free-of-new"))
        std::free(new int);
    if (!std::strcmp(words[1], "delete-of-array"))
        delete (new int[3] + 0);
    if (!std::strcmp(words[1], "delete-of-malloc"))
        delete static_cast<int *>(std::malloc(4));
    if (!std::strcmp(words[1], "right")) {
        delete new wide;
        delete[] new wide[3];
        delete new (std::nothrow) int;
        try {
            (void)new char[std::size_t(1) << 46];
        } catch (const std::bad_alloc &) {
            return 3;
        }
    }
    return 4;
}
"""


@pytest.mark.parametrize(
    ("what", "text"),
    [
        ("free-of-new", "allocated by new, freed by free"),
        ("delete-of-array", "allocated by new[], freed by delete"),
        ("delete-of-malloc", "allocated by malloc, freed by delete"),
    ],
)
def test_new_and_delete_must_match(
    what: str, text: str, compile_program: Compile, guard: Guard
) -> None:
    built = compile_program(NEW, "-O0", "-std=c++17", "-w", compiler="g++")
    (found,) = errors(guard(built, what))
    assert (found["kind"], found["text"]) == ("mismatched-free", text)


def test_new_in_all_forms(compile_program: Compile, guard: Guard) -> None:
    built = compile_program(NEW, "-O0", "-std=c++17", "-w", compiler="g++")
    answer = guard(built, "right")
    assert (answer["returned"], errors(answer)) == (3, [])


@pytest.mark.parametrize(
    "command",
    [
        ["perl", "-e", "my %h; $h{$_ % 7} .= 'x' x $_ for 1..999; print length $h{3}"],
        ["python3", "-c", "import json; print(len(json.dumps(list(range(999)))))"],
        ["git", "--version"],
        ["sh", "-c", "seq 300 | sort -r | gzip | gzip -d | tail -1"],
    ],
)
def test_real_programs_have_no_findings(command: list[str], guard: Guard) -> None:
    answer = guard(*command, env={"PYTHONMALLOC": "malloc", **os.environ})
    assert (answer["returned"], errors(answer)) == (0, [])
