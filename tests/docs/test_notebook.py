"""The example notebook, executed."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from tests.support.programs import ROOT


@pytest.mark.filterwarnings("ignore")  # of the kernel's own libraries
def test_the_notebook_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("playlist.c", "playlist.spec", "playlist.ipynb"):
        shutil.copy(ROOT / "examples" / name, tmp_path)
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    notebook = nbformat.read(tmp_path / "playlist.ipynb", as_version=4)
    NotebookClient(
        notebook,
        timeout=200,
        kernel_name="python3",
        resources={"metadata": {"path": str(tmp_path)}},
    ).execute()
    shown = [
        output["data"]
        for cell in notebook.cells
        for output in cell.get("outputs", [])
        if output["output_type"] == "execute_result"
    ]
    assert any(
        "<svg" in data.get("text/html", "") + data.get("image/svg+xml", "") for data in shown
    )
    assert any("playlist.c:" in data.get("text/plain", "") for data in shown)
    assert not any("outputs" in cell and cell["outputs"] for cell in nbformat.read(
        ROOT / "examples" / "playlist.ipynb", as_version=4).cells)  # fmt: skip
