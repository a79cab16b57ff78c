"""What the tests of the static analysis share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from heapstory.cfront.capture import Job
from heapstory.static import Finding, Options, Sources, analyse, collect_findings, load_models

Leaks = Callable[..., list[Finding]]


def find(folder: Path, *sources: str, everything: bool = False, **options: object) -> list[Finding]:
    """Findings in C texts, analysed together as one program."""
    jobs = []
    for number, text in enumerate(sources):
        path = folder / f"unit{number}.c"
        path.write_text(text)
        jobs.append(Job(str(folder), path.name))
    result = analyse(jobs, Options(load_models([]), processes=1, **options))  # type: ignore[arg-type]
    assert not result.skipped, result.skipped
    return collect_findings(result.results, everything, Sources())


@pytest.fixture
def leaks(tmp_path: Path) -> Leaks:
    def run(*sources: str, **options: object) -> list[Finding]:
        return find(tmp_path, *sources, **options)  # type: ignore[arg-type]

    return run
