"""The independent twins: found with -DLEAK, silent without; and LeakSanitizer agrees with them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.static.twin import Twin, heapstory, twins

TWINS = list(twins())


@pytest.mark.parametrize("twin", TWINS, ids=lambda t: t.name)
def test_twin(twin: Twin) -> None:
    assert heapstory(twin.files, ["-DLEAK"]) > 0
    assert heapstory(twin.files, []) == 0


@pytest.mark.parametrize("twin", [t for t in TWINS if t.shows_in_a_run][::6], ids=lambda t: t.name)
def test_leak_sanitizer_agrees(twin: Twin, tmp_path: Path) -> None:
    program = tmp_path / "program"
    for options, leaks in ((["-DLEAK"], True), ([], False)):
        command = ["gcc", "-w", "-O0", "-fsanitize=address", *options, "-o", str(program)]
        subprocess.run([*command, *map(str, twin.files)], check=True)
        done = subprocess.run([program], capture_output=True, text=True, check=False)
        assert ("detected memory leaks" in done.stderr) == leaks
