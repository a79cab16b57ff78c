"""What is left at the end, beside Memcheck's counts."""

from __future__ import annotations

import re
import subprocess

import pytest

from tests.checking.checking import Check, line_of
from tests.conftest import Compile
from tests.support.programs import program

SOURCE = program("checking/leaks.c")
# Memcheck counts what a possibly lost block leads to as possibly lost.
SAME = {
    "definitely lost": ("leak",),
    "indirectly lost": ("indirect-leak",),
    "possibly lost": ("possible-leak", "possible-indirect-leak"),
    "still reachable": ("reachable",),
}


@pytest.mark.parametrize("flags", ["-O0", "-O2"])
def test_counts_are_those_of_memcheck(flags: str, compile_program: Compile, check: Check) -> None:
    built = compile_program("checking/leaks", flags)
    heap = check(built)["summary"]["heap"]
    command = ["valgrind", "--leak-check=full", "--show-leak-kinds=all", built]
    said = subprocess.run(command, capture_output=True, text=True, timeout=120).stderr
    for words, kinds in SAME.items():
        counted = re.search(rf"{words}: ([\d,]+) bytes in ([\d,]+) blocks", said)
        assert counted, said
        theirs = [int(text.replace(",", "")) for text in counted.groups()]
        ours = [sum(heap[kind][what] for kind in kinds) for what in ("bytes", "blocks")]
        assert (words, ours) == (words, theirs)


def test_leaks_have_the_allocation(compile_program: Compile, check: Check) -> None:
    answer = check(compile_program("checking/leaks"))
    leaks = {(leak["kind"], leak["place"]["line"]): leak for leak in answer["leaks"]}
    lost = leaks["leak", line_of(SOURCE, "lost")]
    assert (lost["bytes"], lost["blocks"]) == (100, 1)
    assert [place["function"] for place in lost["stack"]][:2] == ["lose", "main"]
    assert leaks["possible-leak", line_of(SOURCE, "middle")]["bytes"] == 200
    assert ("possible-indirect-leak", line_of(SOURCE, "found by middle alone")) in leaks
    assert ("reachable", line_of(SOURCE, "of a thread")) in leaks
    assert sum(leak["blocks"] for leak in answer["leaks"] if leak["kind"] == "leak") == 3
    assert answer["summary"]["leaks"] == len(
        [leak for leak in answer["leaks"] if leak["kind"] in ("leak", "possible-leak")]
    )


def test_a_recording_gives_the_same_answer(
    compile_program: Compile, check: Check, tmp_path: object
) -> None:
    built = compile_program("checking/leaks")
    recorded = check(built, options=("--record", f"{tmp_path}/leaks.story"))
    assert recorded["summary"]["heap"] == check(built)["summary"]["heap"]


LOST = """\
#include <stdlib.h>

int main(void) {
    for (int i = 0; i < 1000; i++)
        if (!malloc(1))
            return 1;
    return 0;
}
"""


def test_all_is_lost_where_nothing_refers_to_the_heap(
    compile_program: Compile, check: Check
) -> None:
    answer = check(compile_program(LOST))
    assert "leaks at the end" in answer["summary"]["checked"]
    heap = answer["summary"]["heap"]
    assert heap["leak"]["blocks"] + heap["reachable"]["blocks"] == 1000
    assert heap["leak"]["blocks"] >= 999  # a register may still hold the last one


STALE = """\
#include <stdlib.h>
char **kept;
static __attribute__((noinline)) void lose(void) {
    char **first = malloc(64);
    first[3] = malloc(40);
    free(first);
}
static __attribute__((noinline)) void forget(void) {
    char *volatile words[20];
    for (int i = 0; i < 20; i++)
        words[i] = 0;
    words[10] = malloc(30);
}
int main(void) {
    lose();
    kept = malloc(64); /* where `first` was */
    kept[0] = 0;
    forget();
    return 0;
}
"""


def test_words_of_an_earlier_use_of_the_memory_hold_nothing(
    compile_program: Compile, check: Check
) -> None:
    answer = check(compile_program(STALE), options=("--delay", "0"))
    lost = {leak["bytes"] for leak in answer["leaks"] if leak["kind"] == "leak"}
    assert lost == {40, 30}


DIVIDED = """\
#include <stdlib.h>
#include <valgrind/valgrind.h>
char *inner, *other;
int main(void) {
    char *block = malloc(1000);
    inner = block + 100; /* all that leads to it */
    VALGRIND_MALLOCLIKE_BLOCK(block + 100, 32, 0, 1);
    VALGRIND_MALLOCLIKE_BLOCK(block + 300, 64, 0, 1);
    other = malloc(500) + 8;
    return 0;
}
"""


def test_parts_that_are_blocks_count_in_place_of_the_whole(
    compile_program: Compile, check: Check
) -> None:
    heap = check(compile_program(DIVIDED, "-w"))["summary"]["heap"]
    assert (heap["leak"]["bytes"], heap["reachable"]["bytes"]) == (64, 32)
    assert heap["possible-leak"]["bytes"] == 500
