"""Guarding a program and reading the answer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Heapstory
from tests.guarding.guarding import Guard
from tests.support.schemas import check


@pytest.fixture
def guard(heapstory: Heapstory, tmp_path: Path) -> Guard:
    """Guards a program and gives the answer, checked by its schema, with status and output."""

    def guarded(*words: str | Path, options: tuple[str, ...] = (), **settings: Any) -> Any:
        file = tmp_path / "answer.json"
        done = heapstory("guard", "--json", file, *options, "--", *words, **settings)
        answer = check("guard", file.read_text())
        return answer | {"returned": done.returncode, "printed": done.stdout, "said": done.stderr}

    return guarded
