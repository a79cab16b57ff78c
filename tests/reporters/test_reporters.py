"""What the renderers make of one drawing."""

from __future__ import annotations

import re
from json import loads

from heapstory.graph.drawing import draw
from heapstory.reporters import dot, svg
from heapstory.reporters.graph import json, text
from heapstory.reporters.style import Style
from heapstory.reporters.text import table
from heapstory.reporters.trace import text as trace_text
from heapstory.trace import Trace

GRAPH_AT_6 = """\
graph at timestamp 6 of 8: 3 nodes

global head  struct node *, 8 bytes, 0x404010
  *  → node 1  (2):list.c:3

node 1  struct node, 24 bytes, 0x4a00000  (1):list.c:2
  next  → node 2  (6):list.c:7

node 2  struct node, 24 bytes, 0x4a00040  (4):list.c:3
"""

EVOLUTION_OF_NODE_1 = """\
  next  NULL      (3):list.c:4  old
        → node 2  (6):list.c:7  old
        NULL      (8):list.c:10
"""


def test_text_of_a_graph(trace: Trace) -> None:
    assert text.graph(draw(trace.graph(at=6))) == GRAPH_AT_6


def test_text_of_an_evolution(trace: Trace) -> None:
    answer = text.graph(draw(trace.graph(freed=True), history=True))
    assert answer.startswith("evolution up to timestamp 8 (the last)")
    assert EVOLUTION_OF_NODE_1 in answer


def test_text_with_data_names_values(trace: Trace) -> None:
    assert re.search(r"value +7 ", text.graph(draw(trace.graph(), data=True)))


def test_stale_pointers_are_marked(freed_trace: Trace) -> None:
    assert "next  → node 2 (stale)  (6):list.c:7" in text.graph(draw(freed_trace.graph()))


def test_colour_only_where_it_is_wanted(trace: Trace) -> None:
    drawing = draw(trace.graph())
    assert "\x1b[" not in text.graph(drawing)
    assert "\x1b[1m" in text.graph(drawing, Style(True))


def test_dot_dashes_old_edges(trace: Trace) -> None:
    picture = dot.render(draw(trace.graph(freed=True), history=True))
    dashed = [line for line in picture.splitlines() if "style=dashed" in line]
    assert len(dashed) == 2
    assert 'n1:f0 -> n2:h [label="(6):list.c:7", style=dashed' in picture
    assert 'n0:f0 -> n1:h [label="(2):list.c:3"];' in picture


def test_dot_shows_where_the_part_ends(trace: Trace) -> None:
    picture = dot.render(draw(trace.graph(at=6).narrow(root="head", depth=1)))
    assert 'n2 [shape=plaintext, fontcolor="#777777", label="node 2"]' in picture


def test_svg_is_drawn_by_graphviz(trace: Trace) -> None:
    picture = svg.svg(dot.render(draw(trace.graph(at=6))))
    assert "</svg>" in picture
    assert "(6):list.c:7" in picture
    assert "</svg>" in (trace.graph()._repr_svg_() or "")


def test_notebook_tables(trace: Trace) -> None:
    assert "<td>head</td>" in trace.graph()._repr_html_()
    assert "<td>node 2</td>" in trace.history(node=1, field="next")._repr_html_()


def test_json_of_a_graph_is_the_contract(trace: Trace) -> None:
    graph = trace.graph(at=6)
    body = loads("".join(json.graph(graph, json.edges(graph, data=False))))
    assert set(body) == {"schema", "at", "nodes", "edges", "clusters", "merges"}
    node, edge = body["nodes"][1], body["edges"][1]
    place = {"file": "list.c", "path": "/src/list.c", "line": 2, "function": "work"}
    assert node["created"] == {"ts": 1, "place": place}
    assert (node["address"], node["kind"], node["freed"]) == ("0x4a00000", "heap", None)
    assert edge["from"] == {"node": 1, "offset": 0}
    assert edge["to"] == {"node": 2, "offset": 0}
    assert (edge["value"], edge["ts"], edge["place"]["line"]) == ("0x4a00040", 6, 7)


def test_history_as_text_shows_the_last_versions(trace: Trace) -> None:
    history = trace.history(node=1, field="next")
    shown = trace_text.history(history, limit=2).splitlines()
    assert shown[0] == "node 1: 3 versions of 8 bytes"
    assert shown[1] == "... 1 older version (all: --limit 0)"
    assert re.fullmatch(r"\(8\):list.c:10 +next +NULL +work", shown[3])


def test_tables_align_numbers() -> None:
    answer = table(["name", "n"], [("a", 5), ("bcd", None), ("x", 12.5)])
    assert answer == "name     n\n----  ----\na        5\nbcd\nx     12.5\n"


def test_long_names_in_a_table_keep_their_ends() -> None:
    name = "std::_Rb_tree<" + "std::pair<int, int>, " * 20 + "int>::insert"
    row = table(["name"], [(name,)]).splitlines()[2]
    start, end = row.split("…")
    assert len(row) == 80 and name.startswith(start) and name.endswith(end)
