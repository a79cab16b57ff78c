"""Random programs, recorded, against the naive model fed with what they print of themselves."""

from __future__ import annotations

import subprocess
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import Phase, given

import heapstory as api
from tests.conftest import COMMAND
from tests.graph.generator import programs, read_truth
from tests.support.examples import examples
from tests.support.folded import Choice, check_folded
from tests.support.naive import Naive
from tests.support.windows import EVERYTHING, check_bands, check_window

EDGE = (
    "source",
    "offset",
    "value",
    "size",
    "target",
    "target_offset",
    "state",
    "timestamp",
    "site",
)


class Comparison:
    """A trace and the model of the same run, with their timestamps and node ids matched."""

    def __init__(self, trace: api.Trace, model: Naive) -> None:
        self.trace = trace
        self.model = model
        step = next(node for node in model.nodes if node.name == "step")
        # ``step`` is stored after every operation: its versions are the moments they share.
        theirs = trace.history(address=step.address, size=8)
        ours = model.history(step.address, 8, 0, model.last)
        self.moments = [
            (mine.timestamp, real.timestamp)
            for mine, real in zip(ours, (v for v in theirs if v.kind != "initial"), strict=True)
        ]
        self.ids = self._match()

    def _match(self) -> dict[int, int]:
        """Model ids to trace ids: blocks in order of birth, variables by address."""
        nodes = self.trace.graph(freed=True).nodes
        heap = [node for node in nodes if node.kind == "heap"]
        mine = [node for node in self.model.nodes if node.kind == "heap"]
        assert [(n.address, n.size) for n in heap] == [(n.address, n.size) for n in mine]
        ids = {own.id: real.id for own, real in zip(mine, heap, strict=True)}
        for own in self.model.nodes:
            if own.kind == "global":
                found = self.trace.core.node_at(own.address, self.trace.last)
                assert found is not None
                assert self.trace.node(found).name == own.name
                ids[own.id] = found
        return ids

    def check_clock(self) -> None:
        """Every operation advances both clocks by the same amount."""
        first_mine, first_real = self.moments[0]
        assert [(mine - first_mine) for mine, _ in self.moments] == [
            (real - first_real) for _, real in self.moments
        ]

    def check_graph(self, mine: int, real: int) -> None:
        """Nodes, edges, and the bytes of every word."""
        nodes, edges = self.model.graph(mine)
        graph = self.trace.graph(at=real)
        known = set(self.ids.values())
        alive = {node.id for node in graph.nodes if node.kind == "heap"}
        assert alive == {self.ids[node.id] for node in nodes if node.kind == "heap"}
        found = {
            (e.source, e.offset): (e.target, e.target_offset, e.value)
            for e in graph.edges
            if e.source in known and e.state == "live"
        }
        wanted = {
            (self.ids[e.source], e.offset): (self.ids[e.target or 0], e.target_offset, e.value)
            for e in edges
            if e.state == "live"
        }
        assert found == wanted
        stale = {(e.source, e.offset): e.target for e in graph.edges if e.state == "stale"}
        for e in edges:
            if e.state == "stale":
                assert stale.get((self.ids[e.source], e.offset)) == self.ids[e.target or 0]

    def check_fields(self, real: int) -> None:
        """One node looked up by itself holds what the whole graph shows of it."""
        graph = self.trace.graph(at=real)
        shown: dict[int, set[tuple[int, int, int, int]]] = {}
        for e in graph.data():
            shown.setdefault(e.source, set()).add((e.offset, e.size, e.value, e.timestamp))
        for node in set(self.ids.values()) & set(graph.ids):
            found = {
                (e.offset, e.size, e.value, e.timestamp) for e in self.trace.fields(node, real)
            }
            assert found == shown.get(node, set()), node

    def check_values(self, mine: int, real: int) -> None:
        state = self.model.state(mine)
        for node in state.alive():
            for address in range(node.address, node.address + node.size, 4):
                size = min(4, node.address + node.size - address)
                assert self.trace.value(address, size, real) == self.model.value(
                    address, size, mine
                ), hex(address)

    def check_histories(self) -> None:
        """Every version of every word of every node, silent ones included."""
        shift = self.moments[0][1] - self.moments[0][0]
        for own in self.model.nodes:
            last = (own.freed or self.model.last + 1) - 1
            if own.kind == "global" or last < own.created:
                continue
            for offset in range(0, own.size - 7, 8):
                address = own.address + offset
                mine = self.model.history(address, 8, own.created, last)
                real = self.trace.core.history(address, 8, own.created + shift, last + shift)
                assert real.column("timestamp") == [v.timestamp + shift for v in mine]
                whole = [len(v.data) == 8 for v in mine]
                values = real.column("value")
                for version, value, is_whole in zip(mine, values, whole, strict=True):
                    if is_whole:
                        assert value == int.from_bytes(version.data, "little")

    def check_incoming(self, mine: int, real: int) -> None:
        for own in self.model.state(mine).alive():
            wanted = {(self.ids[e.source], e.offset) for e in self.model.incoming(own.id, mine)}
            standing = {
                (e.source, e.offset)
                for e in self.trace.incoming(self.ids[own.id], at=real)
                if e.state == "live" and e.source in set(self.ids.values())
            }
            assert standing == wanted
        # Names of fields apart, which follow from types that only the whole graph tells.
        rows = [replace(edge, field=None) for edge in self.trace.graph(at=real).edges]
        for node in self.ids.values():
            found = [replace(edge, field=None) for edge in self.trace.incoming(node, at=real)]
            assert found == [edge for edge in rows if edge.target == node]
        for node in list(self.ids.values())[mine % 4 :: 4]:
            by_index, without = (
                ask(node, real) for ask in (self.trace.core.incoming, self.trace.core.edges_to)
            )
            for name in EDGE:
                assert by_index.column(name) == without.column(name), name

    def check_pointing(self) -> None:
        """Every pointer that SQL knows of, by its target."""
        wanted = self.trace.query(
            """SELECT e.target, e.timestamp, n.address + e."offset" FROM edges e
               JOIN nodes n ON n.node = e.node WHERE e.target IS NOT NULL"""
        )
        found = {
            (node, version.timestamp, version.address)
            for node in {row[0] for row in wanted} | set(self.ids.values())
            for version in self.trace.pointing_to(node)
        }
        assert found == set(wanted)


# Functions are bound at the start (-z now): binding one at its first call writes to the program's
# data, which the program cannot tell of.
@pytest.mark.parametrize("flags", [("-O0",), ("-O2",), ("-O1", "-fno-builtin")])
@examples(12, phases=[Phase.generate])  # shrinking would record for minutes
@given(source=programs())
def test_random_programs(source: str, flags: tuple[str, ...]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        (home / "random.c").write_text(source)
        subprocess.run(
            ["gcc", "-g", "-Wl,-z,now", *flags, "-o", home / "random", "random.c"],
            cwd=home,
            check=True,
        )
        done = subprocess.run(
            [COMMAND, "record", "-o", home / "random.story", "--", home / "random"],
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        model = Naive(read_truth(done.stdout))
        with api.open(home / "random.story") as trace:
            if model.last == 0:
                return
            compare(Comparison(trace, model))


def compare(both: Comparison) -> None:
    if not both.moments:
        return
    both.check_clock()
    moments = both.moments
    for mine, real in [moments[-1], moments[len(moments) // 2], moments[0], moments[-1]]:
        both.check_graph(mine, real)
        both.check_fields(real)
        both.check_values(mine, real)
        both.check_incoming(mine, real)
    both.check_histories()
    both.check_pointing()
    times = sorted(real for _, real in moments)
    middle = times[len(times) // 2]
    check_window(both.trace, 0, both.trace.last, [times[0], middle, times[-1], both.trace.last])
    check_window(both.trace, middle, times[-1], [middle, (middle + times[-1]) // 2, times[-1]])
    nodes = [row[0] for row in both.trace.query("SELECT node FROM nodes ORDER BY node").rows]
    start = nodes[:: max(1, len(nodes) // 3)]
    words = {start[0]: 2}, [(start[-1], 0), (start[0], 8)]
    fan = 1 + len(nodes) % 3
    check_folded(both.trace, 0, both.trace.last, Choice(start, middle, EVERYTHING, fan, *words))
    check_folded(both.trace, times[0], times[-1], Choice(start, middle, 4, fan, *words))
    check_bands(both.trace, 0, both.trace.last, 7)
    check_bands(both.trace, times[0], middle, 3)
