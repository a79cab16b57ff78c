"""What is packed reads as what the core's tables hold."""

from __future__ import annotations

import pytest

import heapstory as api
from heapstory import _core
from heapstory.viewing.columns import pack
from tests.support.windows import EVERYTHING
from tests.viewing.reading import Columns


@pytest.mark.parametrize("for_files", [False, True])
def test_tables_come_back(story: api.Trace, for_files: bool) -> None:
    window = _core.window(
        story.core, 0, story.last, None, None, EVERYTHING, EVERYTHING, EVERYTHING, EVERYTHING
    )
    tables = [
        *window.tables(),
        *((name, story.core.table(name)) for name in ("sites", "nodes", "edges", "cpoints")),
    ]
    tables[5:] = [(f"sql_{name}", table) for name, table in tables[5:]]
    read = Columns(pack("test", tables, for_files=for_files))
    for name, table in tables:
        assert read.table(name) == {column: table.column(column) for column in table.names}, name


def test_rows_of_python_come_back() -> None:
    rows = {"sites": {"site": [1, 2], "text": ["a.c:1", None]}}
    read = Columns(pack("test", [], rows=rows, header={"from": 3}))
    assert read.table("sites") == rows["sites"]
    assert (read.header["schema"], read.header["from"]) == ("heapstory.view/1", 3)
