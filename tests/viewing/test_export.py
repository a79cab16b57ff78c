"""The file: what is in it, how large it is, and that data in it is never markup."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from pathlib import Path

import pytest

import heapstory as api
from heapstory.errors import HeapstoryError
from heapstory.viewing import page_file
from heapstory.viewing.answers import Answers, WindowQuery
from heapstory.viewing.export import export
from heapstory.viewing.head import Opening
from heapstory.viewing.page_file import Bundle
from tests.conftest import Compile, Record
from tests.viewing.reading import Columns, blocks_of, columns_of

BUNDLE = Bundle("console.log(1)", "body { margin: 0 }")


def page_of(trace: api.Trace, opening: Opening | None = None, max_size: int = 1_000_000) -> str:
    return "".join(export(trace, opening or Opening(), max_size=max_size, bundle=BUNDLE))


def test_blocks(story: api.Trace) -> None:
    blocks = blocks_of(page_of(story))
    assert list(blocks) == ["head", "window", "bands", "sources"]
    head = json.loads(blocks["head"])
    assert (head["last"], head["at"], head["first"], head["to"]) == (story.last,) * 2 + (
        0,
        story.last,
    )
    assert {one["what"] for one in head["left_out"]} <= {"words of data"}  # of libraries
    assert {story.node(node).name for node in head["start"]} >= {"head"}
    window = columns_of(blocks["window"])
    heap = [kind for kind in window.table("nodes")["kind"] if kind == "heap"]
    assert len(heap) == len([n for n in story.graph(freed=True).nodes if n.kind == "heap"])
    shapes = {shape["type"]: shape for shape in window.header["shapes"]}
    names = [leaf["name"] for leaf in shapes["struct node"]["leaves"]]
    assert names == ["value", "next"]
    statements = columns_of(blocks["bands"]).table("statements")
    assert sum(statements["changes"]) == story.last


def test_a_freed_block_whose_memory_was_given_out_again_is_aliased(story: api.Trace) -> None:
    blocks = blocks_of(page_of(story))
    versions = columns_of(blocks["window"]).table("versions")
    states = set(versions["state"])
    assert {"live", "null", "aliased"} <= states
    for state, target, by in zip(
        versions["state"], versions["target"], versions["by"], strict=True
    ):
        assert (by is not None) == (state == "aliased")
        if by is not None:
            assert story.node(by).address == story.node(target).address


def test_only_the_page_itself_may_run(story: api.Trace) -> None:
    page = page_of(story)
    digest = base64.b64encode(hashlib.sha256(BUNDLE.script.encode()).digest()).decode()
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', page)
    assert policy
    assert f"script-src &#x27;sha256-{digest}&#x27;" in policy[1]
    assert "connect-src &#x27;none&#x27;" in policy[1]
    # The program's source has an element in a string: it is in the data, and not in the markup.
    assert "<script>alert(1)" in "".join(json.loads(blocks_of(page)["sources"]).values())
    assert "<script>alert" not in page
    assert page.count("</script>") == page.count("<script")


def test_what_does_not_fit_is_left_out_and_said(story: api.Trace) -> None:
    room = 60_000
    page = page_of(story, Opening(source=False), max_size=room)
    blocks = blocks_of(page)
    head = json.loads(blocks["head"])
    assert "sources" in blocks and json.loads(blocks["sources"]) == {}
    assert len(blocks["window"]) + len(blocks["bands"]) <= room
    assert head["left_out"]
    assert all("--serve" in one["how"] for one in head["left_out"])
    window = columns_of(blocks["window"])
    assert (window.header["from"], window.header["to"]) == (head["first"], head["to"])
    assert head["first"] <= head["at"] <= head["to"]


def test_words_left_out_are_counted_in_the_heap(story: api.Trace) -> None:
    data, window = Answers(story).window(WindowQuery(data_words=0))
    nodes = Columns(data).table("nodes")
    counted = zip(nodes["kind"], nodes["words_left_out"], strict=True)
    heap = sum(words for kind, words in counted if kind == "heap")
    assert 0 < heap == window.heap_words_left_out < sum(nodes["words_left_out"])


LOSES = """#include <stdlib.h>
char *text;
int main(void) {
    text = malloc(30);
    text[0] = 1;
    text = NULL;
    return 0;
}
"""


def test_lost_nodes_are_named_where_roots_were_scanned(
    compile_program: Compile, record: Record
) -> None:
    with api.open(record(compile_program(LOSES, "-O0"))) as trace:
        (block,) = [n for n in trace.graph().nodes if n.kind == "heap" and n.size == 30]
        head = json.loads(blocks_of(page_of(trace))["head"])
        assert head["lost"] == {str(trace.last): [block.id]}


def test_a_page_that_was_not_built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_file, "PAGE", tmp_path)
    with pytest.raises(HeapstoryError, match=r"the page is not built: .*make setup"):
        Bundle.read()
