"""Every construct twice: a leaking function and its correct twin. Names say which is which."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.static.conftest import find

PROGRAMS = sorted((Path(__file__).parent / "programs").glob("*.c"))


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda p: p.stem)
def test_twins(path: Path, tmp_path: Path) -> None:
    """Functions called ``leak_*`` leak at the lines marked ``LEAK``; no other function leaks."""
    text = path.read_text()
    found = {finding.place.line for finding in find(tmp_path, text)}
    found |= {o.line for f in find(tmp_path, text) for o in f.others}
    wanted = {n for n, line in enumerate(text.splitlines(), 1) if "/* LEAK */" in line}
    assert wanted, "the program marks no leak"
    assert found == wanted
