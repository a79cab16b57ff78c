"""Every folder of src/heapstory and native is a room, and no way through them leads back."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.rooms.graph import Use, cycle, folders, native_uses, python_uses
from tests.support.programs import ROOT


@pytest.fixture(scope="module")
def uses() -> list[Use]:
    return [*python_uses(ROOT / "src", "heapstory"), *native_uses(ROOT / "native")]


def test_no_folder_has_a_cycle(uses: list[Use]) -> None:
    found = {str(folder): cycle(folder, uses) for folder in folders(uses)}
    cycles = {folder: "\n  ".join(map(str, way)) for folder, way in found.items() if way}
    told = [f"{folder}:\n  {way}" for folder, way in cycles.items()]
    assert not told, "cycles between the entries of\n" + "\n".join(told)


def test_both_trees_were_read(uses: list[Use]) -> None:
    read = {use.file for use in uses}
    assert {Path("heapstory/__init__.py"), Path("core/store/store.cpp")} <= read
