"""The site is built without a warning: every link leads somewhere, every page is listed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.support.programs import ROOT


def test_the_site(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html"]
    words = ["-d", tmp_path / "doctrees", ROOT / "docs", tmp_path / "site"]
    done = subprocess.run([*command, *words], capture_output=True, text=True, timeout=280)
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "site" / "index.html").exists()
    for page in (ROOT / "docs" / "evaluation").glob("*.md"):
        wanted = page.read_text().count("<!-- bars |")
        drawn = (tmp_path / "site" / "evaluation" / f"{page.stem}.html").read_text()
        assert drawn.count("<svg xmlns:xlink=") == wanted, page.name
