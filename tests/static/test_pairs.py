"""A sample of the benchmark's pairs, and LeakSanitizer's word that they are what they claim."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.static.conftest import find
from tests.static.pairs import SEPARATOR, Pair, pairs

PAIRS = list(pairs())


def test_there_are_enough() -> None:
    assert len(PAIRS) >= 200
    assert len({pair.name for pair in PAIRS}) == len(PAIRS)


@pytest.mark.parametrize("pair", PAIRS[::5], ids=lambda p: p.name)
def test_pair(pair: Pair, tmp_path: Path) -> None:
    assert find(tmp_path, *pair.bad.split(SEPARATOR))
    assert not find(tmp_path, *pair.good.split(SEPARATOR))


# An error path needs a failing allocation, which a plain run does not have.
PLAIN = [pair for pair in PAIRS if not pair.name.endswith("-error")]


@pytest.mark.parametrize("pair", PLAIN[::14], ids=lambda p: p.name)
def test_leak_sanitizer_agrees(pair: Pair, tmp_path: Path) -> None:
    for text, leaks in ((pair.bad, True), (pair.good, False)):
        files = []
        for number, part in enumerate(text.split(SEPARATOR)):
            files.append(tmp_path / f"u{number}.c")
            files[-1].write_text(part)
        program = tmp_path / "program"
        subprocess.run(["clang", "-w", "-fsanitize=address", "-o", program, *files], check=True)
        done = subprocess.run(
            [program],
            env={**os.environ, "ASAN_OPTIONS": "detect_leaks=1"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert ("detected memory leaks" in done.stderr) == leaks
