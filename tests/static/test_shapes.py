"""Lists and trees of unknown length, built in loops: losing programs are reported, correct ones are
not, whether they are programs or parts of a library."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.static.conftest import find

FOLDER = Path(__file__).parent / "shapes"
LOSING = sorted((FOLDER / "losing").glob("*.c"))
CORRECT = sorted((FOLDER / "correct").glob("*.c"))
INCLUDE = '#include "../nodes.h"'

# Without a main, how often a loop runs is not known: these are found, and not shown …
DOUBTED = {
    "freed_from_the_end_the_first_one_kept",
    "queue_whose_nodes_are_unlinked_not_freed",
    "ring_without_its_head",
}
GIVEN_UP = {"reversed_only_the_first_freed"}  # … and this one is not found.


def _program(path: Path) -> str:
    return path.read_text().replace(INCLUDE, (FOLDER / "nodes.h").read_text())


def _library(path: Path) -> str:
    return _program(path).replace("int main(void)", "int entry(void)")


def _found(folder: Path, text: str) -> tuple[int, int]:
    """How many findings there are, and how many are shown."""
    found = find(folder, text)
    return len(found), sum(finding.confidence != "low" for finding in found)


@pytest.mark.parametrize("path", LOSING, ids=lambda p: p.stem)
def test_losing_programs(path: Path, tmp_path: Path) -> None:
    assert _found(tmp_path, _program(path))[1]


@pytest.mark.parametrize("path", CORRECT, ids=lambda p: p.stem)
def test_correct_programs(path: Path, tmp_path: Path) -> None:
    assert not _found(tmp_path, _program(path))[1]
    assert not _found(tmp_path, _library(path))[1]


@pytest.mark.parametrize("path", LOSING, ids=lambda p: p.stem)
def test_losing_libraries(path: Path, tmp_path: Path) -> None:
    found, shown = _found(tmp_path, _library(path))
    assert bool(shown) == (path.stem not in DOUBTED | GIVEN_UP)
    assert bool(found) == (path.stem not in GIVEN_UP)
