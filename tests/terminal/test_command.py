"""``heapstory view --tui`` without what it needs: one line with the remedy."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import pytest

import heapstory as api
from heapstory.commands import main


@pytest.mark.parametrize(
    ("words", "has_textual", "status", "said"),
    [
        ((), True, 2, "--tui wants a terminal"),
        ((), False, 3, "pip install 'heapstory[tui]'"),
        (("--serve",), True, 2, "leave out -o and --serve"),
        (("-o", "x.html"), True, 2, "leave out -o and --serve"),
    ],
)
def test_one_line(
    playlist: api.Trace,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: Sequence[str],
    has_textual: bool,
    status: int,
    said: str,
) -> None:
    if not has_textual:
        monkeypatch.setitem(sys.modules, "textual", None)
    assert main(["view", str(playlist.path), "--tui", *words]) == status
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1
