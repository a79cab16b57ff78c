"""Doubts reach the reader: as words for machines, as sentences for people, in the reference."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from heapstory.schemas import load
from heapstory.static.function.confidence import confidence
from heapstory.static.heap.doubt import Doubt
from tests.static.test_command import run
from tests.support.programs import ROOT

GROWN = """#include <stdlib.h>
int use(int n)
{
    char *text = malloc(8);
    if (!text)
        return 1;
    text = realloc(text, n + 9);
    free(text);
    return 0;
}
"""


def test_the_strongest_doubt_decides() -> None:
    assert confidence([]) == "high"
    assert confidence([Doubt.LONG_PATH]) == "medium"
    assert confidence([Doubt.LONG_PATH, Doubt.MERGED_STATES, Doubt.HELD_BY_MAIN]) == "low"


def test_a_doubt_is_told_in_every_form(tmp_path: Path) -> None:
    (tmp_path / "grown.c").write_text(GROWN)
    words = ("--min-confidence", "low", "--no-cache", "grown.c")
    (leak,) = json.loads(run(tmp_path, "--json", "--sarif", "grown.sarif", *words).stdout)["leaks"]
    assert (leak["confidence"], leak["doubts"]) == ("medium", ["realloc-failed"])
    assert f"doubt: {Doubt.REALLOC_FAILED.text}" in run(tmp_path, *words).stdout
    (result,) = json.loads((tmp_path / "grown.sarif").read_text())["runs"][0]["results"]
    assert result["properties"]["doubts"] == ["realloc-failed"]


@pytest.mark.parametrize("doubt", Doubt)
def test_the_reference_has_every_doubt(doubt: Doubt) -> None:
    text = (ROOT / "docs" / "reference" / "leaks.md").read_text()
    assert f"| `{doubt.word}` | {doubt.confidence} | {doubt.text} |" in text


def test_the_schema_has_every_doubt() -> None:
    finding = load("leaks")["$defs"]["finding"]
    assert finding["properties"]["doubts"]["items"]["enum"] == [doubt.word for doubt in Doubt]
