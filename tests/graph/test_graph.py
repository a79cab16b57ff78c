"""Graphs, parts of them, histories and evolutions, over a fake core."""

from __future__ import annotations

import pytest

import heapstory
from heapstory.graph.evolution import evolution
from heapstory.trace import Trace
from tests.support.fake_trace import A, B


def test_graph_as_of_a_timestamp(trace: Trace) -> None:
    assert trace.last == 8
    graph = trace.graph(at=6)
    assert [(node.id, node.title, node.type) for node in graph.nodes] == [
        (0, "head", "struct node *"),
        (1, "node 1", "struct node"),
        (2, "node 2", "struct node"),
    ]
    assert [(e.source, e.field, e.target, str(e.place)) for e in graph.edges] == [
        (0, None, 1, "list.c:3"),
        (1, "next", 2, "list.c:7"),
    ]
    assert [(e.source, e.target) for e in trace.graph().edges] == [(0, 1)]


def test_nodes_say_when_and_where_they_were_made(freed_trace: Trace) -> None:
    node = freed_trace.node(2)
    assert str(node.created) == "(4):list.c:3"
    assert node.freed is not None
    assert node.freed.timestamp == 7


def test_a_timestamp_outside_the_trace_is_refused(trace: Trace) -> None:
    with pytest.raises(heapstory.UsageError, match=r"timestamp 9 is not in .* 0 to 8"):
        trace.graph(at=9)
    assert trace.graph(at=-1).at == 8


def test_freed_nodes_stay_when_asked_for(freed_trace: Trace) -> None:
    assert len(freed_trace.graph()) == 2
    graph = freed_trace.graph(freed=True)
    assert len(graph) == 3
    assert [(e.target, e.state) for e in freed_trace.graph().edges] == [(1, "live"), (2, "stale")]


@pytest.mark.parametrize(
    ("root", "depth", "expected"),
    [("head", None, {0, 1, 2}), ("head", 1, {0, 1}), (1, None, {1, 2}), ("1", 0, {1})],
)
def test_narrowing_by_root(
    trace: Trace, root: int | str, depth: int | None, expected: set[int]
) -> None:
    part = trace.graph(at=6).narrow(root=root, depth=depth)
    assert set(part.ids) == expected
    assert {edge.source for edge in part.edges} <= expected


def test_narrowing_by_type(trace: Trace) -> None:
    graph = trace.graph()
    assert set(graph.narrow(type="struct node").ids) == {1, 2}
    assert set(graph.narrow(type="node").ids) == {1, 2}
    with pytest.raises(heapstory.UsageError, match=r"types here: struct node, struct node \*"):
        graph.narrow(type="tree")


def test_a_root_that_means_nothing_names_what_there_is(trace: Trace) -> None:
    with pytest.raises(heapstory.UsageError, match="names here: head"):
        trace.graph().narrow(root="tail")
    with pytest.raises(heapstory.UsageError, match="node 7 is not in the graph"):
        trace.graph().narrow(root=7)


def test_history_of_a_field_by_name_offset_and_address(trace: Trace) -> None:
    by_name = trace.history(node=1, field="next")
    assert [(v.timestamp, v.value, v.target) for v in by_name] == [
        (3, 0, None),
        (6, B, 2),
        (8, 0, None),
    ]
    assert by_name.versions == trace.history(node=1, field="0").versions
    by_address = trace.history(address=A)
    assert [v.timestamp for v in by_address] == [3, 6, 8]
    assert {(v.node, v.offset, v.field) for v in by_address} == {(1, 0, "next")}


def test_history_keeps_silent_versions(trace: Trace) -> None:
    versions = trace.history(node=1, field="value").versions
    assert [(v.timestamp, v.silent, str(v.place)) for v in versions] == [
        (7, False, "list.c:8"),
        (7, True, "list.c:9"),
    ]


def test_history_of_what_is_not_there(trace: Trace) -> None:
    with pytest.raises(heapstory.UsageError, match="no node 12"):
        trace.history(node=12)
    with pytest.raises(heapstory.UsageError, match=r"no field left .fields: next, prev, value"):
        trace.history(node=1, field="left")
    with pytest.raises(heapstory.UsageError, match="offset 24 is not in node 1"):
        trace.history(node=1, field=24)
    with pytest.raises(heapstory.UsageError, match="a node or an address"):
        trace.history()


def test_evolution_is_figure_1(trace: Trace) -> None:
    """Three edges leave node 1, of which the last is current; silent stores are no edges."""
    edges = [edge for edge in evolution(trace.graph(freed=True)) if edge.source == 1]
    assert [(e.timestamp, e.target, e.current) for e in edges] == [
        (3, None, False),
        (6, 2, False),
        (8, None, True),
    ]
    earlier = [edge for edge in evolution(trace.graph(at=6, freed=True)) if edge.source == 1]
    assert [(e.timestamp, e.current) for e in earlier] == [(3, False), (6, True)]


def test_incoming_and_values(trace: Trace) -> None:
    assert [(e.source, e.offset) for e in trace.incoming(2, at=6)] == [(1, 0)]
    assert trace.incoming(2) == []
    assert trace.value(A + 16, 8) == (7).to_bytes(8, "little")
    assert trace.value(A + 8, 8) is None
    node = trace.node_at(B + 5)
    assert node is not None
    assert node.id == 2
