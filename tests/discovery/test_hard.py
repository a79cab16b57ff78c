# SPDX-License-Identifier: GPL-2.0-or-later
"""Modes portable and internals on what is hard for them, and in sections and children of a run."""

from collections.abc import Callable

import pytest

from tests.discovery.nodes import printed, story
from tests.recorder.recorder import Memory, Result

Run = Callable[..., Result]
MODES = ["portable", "internals"]
COUNT = 50
SUMS = {"jit": COUNT * (COUNT - 1) // 2, "mappings": 4 * 2 * sum(range(60))}
MOST_PER_STATEMENT = 16


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("what", ["jit", "compressed", "tagged", "mappings"])
def test_hard(run: Run, what: str, mode: str) -> None:
    options = [f"--mode={mode}"]
    if what == "compressed" and mode == "portable":
        options.append("--allocator=region_alloc")
    result = run("discovery/hard.c", what, options=tuple(options), flags=("-pthread",))
    told = story(result.records)
    assert result.status == 0
    if what in SUMS:
        assert f"sum {SUMS[what]}\n" in result.output
    assert not any(s.certain for s in told.suspicions)
    assert len(told.suspicions) <= 4 * MOST_PER_STATEMENT
    blocks = printed(result, "node")
    assert len(blocks) == (0 if what == "mappings" else COUNT)
    for address, size in blocks if mode == "portable" else []:
        assert [8 * n.words for n in told.at(address)] == [size], hex(address)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("section", [("--from=work#3",), ("--from=work#2", "--until=work#2")])
def test_a_section(run: Run, mode: str, section: tuple[str, ...]) -> None:
    """What was there before comes with the snapshot; only the section's own blocks are new."""
    result = run("recorder/sections.c", options=(f"--mode={mode}", *section))
    assert result.status == 0
    told, memory = story(result.records), Memory(result.records)
    tags = [r.tag for r in result.records]
    assert tags.count("BEGIN") == 1 and tags.count("FINISH") == len(section) - 1
    blocks = result.truths("block")
    assert len(blocks) == 9
    inside = blocks[1:5] if len(section) == 1 else blocks[5:7]  # the list has the newest first
    for address, data in inside:
        assert memory.read(address, len(data)) == data
        owners = [n for n in told.nodes.values() if n.start <= address < n.end]
        assert owners, hex(address)
        if mode == "portable":
            assert [(n.start, n.words) for n in owners] == [(address, 2)]


@pytest.mark.parametrize("mode", MODES)
def test_children(run: Run, mode: str) -> None:
    options = (f"--mode={mode}", "--follow-children=yes")
    result = run("recorder/ends.c", "fork", options=options, traces=2)
    for trace in result.traces:
        told = story(trace.records)
        assert told.nodes and trace.end["state"] == "exited"
