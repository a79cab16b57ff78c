"""The example of docs/reference/python.md, run as it stands there."""

from __future__ import annotations

import doctest
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.programs import ROOT

FILES = (
    "playlist.c",
    "playlist.spec",
    "catalogue.c",
    "linear/treiber_stack.lin",
)


def test_the_example_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in FILES:
        shutil.copy(ROOT / "examples" / name, tmp_path)
    subprocess.run(["gcc", "-g", "-o", "playlist", "playlist.c"], cwd=tmp_path, check=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    page = ROOT / "docs/reference/python.md"
    example = doctest.DocTestParser().get_doctest(page.read_text(), {}, page.name, str(page), 0)
    assert len(example.examples) > 10
    said: list[str] = []
    result = doctest.DocTestRunner().run(example, out=said.append)
    assert result.failed == 0, "".join(said)
