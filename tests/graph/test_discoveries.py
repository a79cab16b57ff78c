"""Random splits, merges, separations, ends and stores against a plain model, at every timestamp."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import heapstory as api
from heapstory.folders import native_folder
from heapstory.recording.engine import COLLECTOR
from tests.graph.discovery_model import BASE, INTERNALS, PORTABLE, WORDS, Model
from tests.support.examples import examples
from tests.support.windows import check_window

SMALL = st.integers(0, 40)
OPERATIONS = st.one_of(
    st.tuples(st.just("create"), st.integers(0, 120), st.integers(1, 8)),
    st.tuples(st.just("grow"), SMALL, st.integers(1, 4)),
    st.tuples(st.just("end"), SMALL),
    st.tuples(st.just("split"), SMALL, SMALL),
    st.tuples(st.just("merge"), SMALL, SMALL),
    st.tuples(st.just("separate"), SMALL),
    st.tuples(st.sampled_from(["merge", "split"]), SMALL, SMALL),
    st.tuples(st.just("store"), SMALL, SMALL, SMALL, st.integers(-1, 8)),
)


def opened(model: Model, folder: Path) -> api.Trace:
    (folder / "records").write_bytes(model.records)
    subprocess.run(
        [
            native_folder() / COLLECTOR,
            f"--records={folder / 'records'}",
            f"--trace={folder / 't.story'}",
        ],
        check=True,
    )
    return api.open(folder / "t.story")


def compare(model: Model, trace: api.Trace) -> None:
    assert trace.last == model.time
    for time in range(model.time + 1):
        graph = trace.graph(at=time)
        expected = {
            node.id: (len(words), words[0])
            for node in model.alive(time)
            if (words := model.words_of(node.id, time))
        }
        found = {node.id: (node.size // 8, (node.address - BASE) // 8) for node in graph.nodes}
        assert found == expected, time
        holders = {word: model.holder(word, time) for word in range(WORDS)}
        assert {word: trace.core.node_at(BASE + 8 * word, time) for word in range(WORDS)} == {
            word: node if node in expected else None for word, node in holders.items()
        }, time
        edges = {
            (e.source, e.offset, e.target, e.target_offset, e.timestamp)
            for e in graph.edges
            if e.state == "live"
        }
        assert edges == model.edges(time), time
        for node in graph.nodes:
            found = {
                (e.source, e.offset) for e in trace.incoming(node.id, time) if e.state == "live"
            }
            assert found == {(source, at) for source, at, to, *_ in edges if to == node.id}, time
            table = trace.core.edges_to(node.id, time)
            rows = zip(*map(table.column, ("source", "offset", "state")), strict=True)
            assert {(s, at) for s, at, state in rows if state == "live"} == found, time
        clusters = {frozenset(cluster.nodes) for cluster in graph.clusters}
        assert clusters == model.clusters(time), time
        assert {(m.source, m.target, m.timestamp) for m in graph.merges} == model.merge_edges(time)
        members = {node.id: node.cluster for node in graph.nodes}
        for cluster in graph.clusters:
            assert {members[node] for node in cluster.nodes} == {cluster.id}
        for node in graph.nodes:
            assert node.source == model.nodes[node.id].source


@pytest.mark.parametrize("mode", [PORTABLE, INTERNALS])
@examples(60)
@given(operations=st.lists(OPERATIONS, min_size=1, max_size=30))
@example(operations=[("merge", 0, 1), ("separate", 1), ("split", 0, 0)])
def test_random_histories(mode: int, operations: list[tuple[str, int]]) -> None:
    model = Model(mode)
    for word in range(0, 200, 40):  # something to begin with
        model.create(word, 6)
    for name, *numbers in operations:
        getattr(model, name)(*numbers)
    with tempfile.TemporaryDirectory() as folder, opened(model, Path(folder)) as trace:
        compare(model, trace)
        check_window(trace, 0, trace.last, list(range(trace.last + 1)))
        check_window(trace, trace.last // 2, trace.last, [trace.last // 2, trace.last])
