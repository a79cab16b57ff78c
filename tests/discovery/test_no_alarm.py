# SPDX-License-Identifier: GPL-2.0-or-later
"""Programs without overflows, large loops over arrays and lists among them: no certain report."""

import random
import subprocess
from pathlib import Path

import pytest

from tests.discovery.nodes import story
from tests.recorder import recorder
from tests.support.programs import program as source

ARGUMENTS = {"colouring": ["3"], "independent": ["3"], "shortest": ["4", "2"]}
WORDS = "my %h; $h{lc $_} .= $_ x 3 for map { chr(65 + $_ % 26) . $_ } 1..300; print sort keys %h;"


def certain(library: Path, folder: Path, *command: object) -> list[object]:
    told = story(recorder.record(library, command, folder, "--mode=portable").records)
    assert len(told.nodes) > 25
    return [s for s in told.suspicions if s.certain]


@pytest.mark.parametrize("name", ARGUMENTS)
@pytest.mark.parametrize("level", ["-O2", "-O3"])
def test_graphs(recorder_library: Path, tmp_path: Path, name: str, level: str) -> None:
    pairs = random.Random(name).choices(range(80), k=400)
    edges = [(a, b) for a, b in zip(pairs[::2], pairs[1::2], strict=True) if a != b]
    graph = tmp_path / "graph.txt"
    graph.write_text("".join(f"{a} {b}\n" for a, b in [(80, len(edges)), *edges]))
    binary = tmp_path / name
    subprocess.run(["gcc", level, "-g", "-o", binary, source(f"discovery/{name}.c")], check=True)
    assert certain(recorder_library, tmp_path, binary, graph, *ARGUMENTS[name]) == []


@pytest.mark.parametrize("level", ["-O1", "-O2"])
def test_a_pointer_to_before_its_array(recorder_library: Path, tmp_path: Path, level: str) -> None:
    binary = tmp_path / "backwards"
    subprocess.run(["gcc", level, "-o", binary, source("discovery/backwards.c")], check=True)
    told = story(recorder.record(recorder_library, [binary], tmp_path, "--mode=portable").records)
    assert told.suspicions == []


@pytest.mark.parametrize("command", [["ls", "-laR", "/usr/include/linux"], ["perl", "-e", WORDS]])
def test_real_programs(recorder_library: Path, tmp_path: Path, command: list[str]) -> None:
    assert certain(recorder_library, tmp_path, *command) == []
