"""Variables that only their initialiser writes, where several units see them."""

from __future__ import annotations

from pathlib import Path

from heapstory.cfront.capture import Job
from heapstory.static import Options, Sources, analyse, collect_findings, load_models
from tests.static.conftest import Leaks

READS = """
#include <stdlib.h>
extern int flag;
int reads(void) { char *p = malloc(8); if (flag) return 1; free(p); return 0; }
"""


def test_another_unit_says_what_it_is(leaks: Leaks) -> None:
    assert not leaks(READS, "int flag = 0;")
    assert len(leaks(READS, "int flag = 1;")) == 1


def test_another_unit_writes_it(leaks: Leaks) -> None:
    assert len(leaks(READS, "int flag; void set(int n) { flag = n; }")) == 1


def test_two_programs_with_a_variable_each(leaks: Leaks) -> None:
    assert len(leaks(READS, "int flag = 0;", "int flag = 1;")) == 1


def test_a_unit_that_was_not_read_may_write_it(tmp_path: Path) -> None:
    jobs = []
    for name, text in {"reads.c": READS, "flag.c": "int flag;", "set.c": "flag = 1 +"}.items():
        (tmp_path / name).write_text(text)
        jobs.append(Job(str(tmp_path), name))
    result = analyse(jobs, Options(load_models([]), processes=1))
    assert [unit for unit, _ in result.skipped] == ["set.c"]
    assert len(collect_findings(result.results, False, Sources())) == 1


def test_an_earlier_answer_is_not_used_once_it_is_written(leaks: Leaks, tmp_path: Path) -> None:
    cache = str(tmp_path)
    assert not leaks(READS, "int flag = 0;", cache_path=cache)
    found = leaks(READS, "int flag = 0; void set(void) { flag = 1; }", cache_path=cache)
    assert len(found) == 1
