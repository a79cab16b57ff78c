"""The model in TypeScript and the core agree on the graph at every timestamp."""

from __future__ import annotations

import json
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, given

import heapstory as api
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
            moments = list(range(max(0, trace.last - AT_ONCE), trace.last + 1))
            told = run(folder, "node", str(model), "page.html", *map(str, moments))
            for line in told.splitlines():
                answer = json.loads(line)
                assert answer == expected(trace, answer["at"])


def expected(trace: api.Trace, at: int) -> dict[str, Any]:
    """The core's own graph, in the words of graphs.ts."""
    graph = trace.graph(at)
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
    ]
    return {"at": at, "nodes": graph.ids, "edges": sorted(edges, key=lambda edge: edge[:2])}


def run(folder: Path, *command: str) -> str:
    """A command's output; it must succeed."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout
