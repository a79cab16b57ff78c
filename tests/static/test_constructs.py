"""Every construct twice: a leaking function and its correct twin. Names say which is which."""

from __future__ import annotations

from pathlib import Path

import pytest

from heapstory.static import Finding
from tests.static.conftest import find

PROGRAMS = sorted((Path(__file__).parent / "programs").glob("*.c"))


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda p: p.stem)
def test_twins(path: Path, tmp_path: Path) -> None:
    """Functions called ``leak_*`` leak at the lines marked ``LEAK``; no other function leaks, as
    far as findings are shown. Those marked ``LEAK, doubted`` are found, and not shown."""
    text = path.read_text()
    findings = find(tmp_path, text)
    shown = [finding for finding in findings if finding.confidence != "low"]
    assert _marked(text, "/* LEAK */"), "the program marks no leak"
    assert _lines(shown) == _marked(text, "/* LEAK */")
    assert _lines(findings) >= _marked(text, "/* LEAK, doubted */")


def _lines(findings: list[Finding]) -> set[int]:
    return {place.line for finding in findings for place in (finding.place, *finding.others)}


def _marked(text: str, mark: str) -> set[int]:
    return {number for number, line in enumerate(text.splitlines(), 1) if mark in line}
