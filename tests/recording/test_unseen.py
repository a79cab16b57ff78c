"""Memory that is written in ways the recorder cannot see: the trace is incomplete, and says why."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import Compile, Heapstory

NOT_SEEN = "written by what the recorder cannot see"


def recorded(
    compile_program: Compile,
    heapstory: Heapstory,
    trace: Path,
    words: tuple[str, ...],
    options: tuple[str, ...] = (),
) -> tuple[bool, str]:
    """Whether the machine allowed it, and what `record` said."""
    program = compile_program("recording/unseen")
    done = heapstory("record", "-o", trace, *options, "--", program, *words)
    return done.stdout.startswith("wrote"), done.stderr


ANYWHERE = ["process_vm_writev", "proc", "ptrace", "io_uring"]
MAPPED_OVER = ["shared", "file", "shm"]  # a variable's page


@pytest.mark.parametrize(
    ("way", "where"),
    [(way, where) for way in ANYWHERE for where in ("variable", "heap")]
    + [(way, "variable") for way in MAPPED_OVER],
)
def test_what_was_not_seen_is_said(
    compile_program: Compile, heapstory: Heapstory, tmp_path: Path, way: str, where: str
) -> None:
    trace = tmp_path / "t.story"
    wrote, said = recorded(compile_program, heapstory, trace, (way, where))
    info = heapstory("info", "--json", trace)
    assert json.loads(info.stdout)["complete"] is not wrote
    assert info.returncode == (4 if wrote else 0)
    if wrote:
        assert NOT_SEEN in info.stderr and NOT_SEEN in said
        assert ("io_uring" in info.stderr) == (way == "io_uring")
        assert heapstory("graph", trace).returncode == 4


def test_stores_are_seen(compile_program: Compile, heapstory: Heapstory, tmp_path: Path) -> None:
    for mode in ("alloc", "portable", "internals", "full"):
        trace = tmp_path / f"{mode}.story"
        wrote, said = recorded(
            compile_program, heapstory, trace, ("store", "heap"), ("--mode", mode)
        )
        assert wrote and said == ""
        assert heapstory("info", trace).returncode == 0


@pytest.mark.parametrize("mode", ["portable", "internals", "full"])
@pytest.mark.parametrize(
    ("way", "where"), [("proc", "variable"), ("proc", "heap"), ("shared", "variable")]
)
def test_in_every_mode(
    compile_program: Compile, heapstory: Heapstory, tmp_path: Path, mode: str, way: str, where: str
) -> None:
    trace = tmp_path / "t.story"
    wrote, _ = recorded(compile_program, heapstory, trace, (way, where), ("--mode", mode))
    assert heapstory("info", trace).returncode == (4 if wrote else 0)


@pytest.mark.parametrize("end", ["crash", "exec"])
def test_however_it_ends(
    compile_program: Compile, heapstory: Heapstory, tmp_path: Path, end: str
) -> None:
    trace = tmp_path / "t.story"
    wrote, said = recorded(compile_program, heapstory, trace, ("proc", "heap", end))
    assert heapstory("info", trace).returncode == (4 if wrote else 0)
    assert (NOT_SEEN in said) == wrote


def test_io_uring_leaves_doubt_where_nothing_differs(
    compile_program: Compile, heapstory: Heapstory, tmp_path: Path
) -> None:
    trace = tmp_path / "t.story"
    wrote, _ = recorded(compile_program, heapstory, trace, ("io_uring", "heap", "again"))
    assert heapstory("info", trace).returncode == (4 if wrote else 0)


def test_a_section_is_compared_at_its_end(
    compile_program: Compile, heapstory: Heapstory, tmp_path: Path
) -> None:
    for until, seen in (("share", True), ("fflush", False)):
        trace = tmp_path / f"{until}.story"
        wrote, _ = recorded(
            compile_program, heapstory, trace, ("shared",), ("--from", "main", "--until", until)
        )
        assert heapstory("info", trace).returncode == (4 if wrote and not seen else 0)


STACK_OF_A_THREAD = r"""
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static void *work(void *text) {
    sprintf(text, "%p", text);
    return malloc(5);
}
int main(void) {
    pthread_attr_t own;
    pthread_t thread;
    char text[50];
    pthread_attr_init(&own);
    pthread_attr_setstack(&own, aligned_alloc(4096, 1 << 18), 1 << 18);
    for (int i = 0; i < 3; i++) {
        pthread_create(&thread, &own, work, text);
        pthread_join(thread, 0);
    }
    return 0;
}
"""


@pytest.mark.parametrize("mode", ["alloc", "portable", "internals"])
def test_a_stack_in_a_block_is_no_doubt(
    compile_program: Compile, heapstory: Heapstory, tmp_path: Path, mode: str
) -> None:
    trace = tmp_path / "t.story"
    program = compile_program(STACK_OF_A_THREAD, "-O1", "-pthread")
    done = heapstory("record", "-o", trace, "--mode", mode, "--", program)
    assert (done.returncode, done.stderr) == (0, "")
