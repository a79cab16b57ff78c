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
