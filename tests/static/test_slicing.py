"""Slicing takes out what cannot matter to the heap, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from heapstory.cfront.capture import Job
from heapstory.cfront.frontend import Preparation, compile_jobs
from heapstory.static.analysis import analyse
from heapstory.static.program.slicing import slice_to_heap
from tests.static.conftest import find

PROGRAMS = sorted((Path(__file__).parent / "programs").glob("*.c"))
NUMBERS = """#include <stdlib.h>
int work(int n, int own) {
    int sum = 0, mixed = 7;
    char *p = own ? malloc(4) : NULL;
    for (int i = 0; i < n; i++) {
        sum = sum * 3 + i;
        mixed ^= sum;
    }
    if (own)
        free(p);
    return n;
}
"""


def test_numbers_that_nothing_reads_are_taken_out(tmp_path: Path) -> None:
    (tmp_path / "numbers.c").write_text(NUMBERS)
    job = Job(str(tmp_path), "numbers.c")
    unit = compile_jobs([job], preparation=Preparation(slice_to_heap))[0].unit
    assert unit is not None
    function = unit.functions["@work"]
    lines = {s[1].line for b in function.blocks.values() for s in b.statements if s[1]}
    assert function.removed > 0
    assert not lines & {6, 7}, "the sums are gone"
    assert {4, 9, 10} <= lines, "the flag and what it guards are not"
    assert not find(tmp_path, NUMBERS)


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda p: p.stem)
def test_findings_stay(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sliced = [(f.kind, f.place) for f in find(tmp_path, path.read_text())]
    monkeypatch.setattr(analyse, "slice_to_heap", lambda function: None)
    assert [(f.kind, f.place) for f in find(tmp_path, path.read_text())] == sliced
