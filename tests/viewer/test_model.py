"""The model in TypeScript and the core agree on the graph at every timestamp."""

from __future__ import annotations

import json
import random
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, given

import heapstory as api
from heapstory.viewing.answers import Answers, WindowQuery
from tests.conftest import COMMAND
from tests.graph.generator import programs
from tests.support.examples import examples
from tests.support.programs import ROOT

VIEWER = ROOT / "viewer"
AT_ONCE = 400


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """tests/viewer/graphs.ts, bundled for node."""
    bundle = tmp_path_factory.mktemp("model") / "graphs.mjs"
    esbuild = VIEWER / "node_modules" / ".bin" / "esbuild"
    source = ROOT / "tests" / "viewer" / "graphs.ts"
    options = ["--bundle", "--platform=node", "--format=esm", "--log-level=warning"]
    subprocess.run([esbuild, source, *options, f"--outfile={bundle}"], check=True)
    return bundle


@examples(3, phases=[Phase.generate])
@given(source=programs())
def test_random_programs(model: Path, source: str) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "program.c").write_text(source)
        run(folder, "gcc", "-g", "-O0", "-o", "program", "program.c")
        run(folder, str(COMMAND), "record", "-o", "program.story", "--", "./program")
        run(folder, str(COMMAND), "view", "program.story", "-o", "page.html")
        with api.open(folder / "program.story") as trace:
            moments = range(max(0, trace.last - AT_ONCE), trace.last + 1)
            for answer in told(folder, model, "page.html", moments):
                assert answer == expected(trace, answer["at"])
            for query in windows(trace, random.Random(source)):
                data, window = Answers(trace).window(query)
                (folder / "window").write_bytes(data)
                ids = set(dict(window.tables())["nodes"].column("id"))
                assert query.first is not None and query.last is not None
                moments = range(query.first, query.last + 1)
                for answer in told(folder, model, "window", moments):
                    assert answer == expected(trace, answer["at"], ids)


def windows(trace: api.Trace, chance: random.Random) -> list[WindowQuery]:
    """Stretches of time: of all nodes, of some, and of what is around some."""

    def stretch() -> dict[str, int]:
        first = chance.randrange(trace.last)
        return {"first": first, "last": min(trace.last, first + chance.randrange(1, 100))}

    def some() -> list[int]:
        return sorted({chance.choice(trace.graph().ids) for _ in range(3)})

    return [
        WindowQuery(**stretch()),
        WindowQuery(**stretch(), nodes=some()),
        WindowQuery(**stretch(), start=some(), depth=2, limit=5),
    ]


def told(folder: Path, model: Path, file: str, moments: range) -> Iterator[dict[str, Any]]:
    """What the model says of each of some moments."""
    said = run(folder, "node", str(model), file, *map(str, moments))
    assert said.count("\n") == len(moments)
    return map(json.loads, said.splitlines())


def expected(trace: api.Trace, at: int, ids: set[int] | None = None) -> dict[str, Any]:
    """The core's own graph, or some nodes of it, in the words of graphs.ts."""
    graph = trace.graph(at)
    nodes = [node for node in graph.ids if ids is None or node in ids]
    edges = [
        [
            edge.source,
            edge.offset,
            f"{edge.value:#x}",
            edge.target,
            edge.target_offset,
            edge.state,
            edge.timestamp,
        ]
        for edge in graph.edges
        if ids is None or edge.source in ids
    ]
    return {"at": at, "nodes": nodes, "edges": sorted(edges, key=lambda edge: edge[:2])}


def run(folder: Path, *command: str) -> str:
    """A command's output; it must succeed."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout
