"""Keyframes save work and change no answer."""

from __future__ import annotations

import random
import subprocess
from pathlib import Path
from typing import Any

import heapstory as api
from heapstory.folders import native_folder
from heapstory.recording.engine import COLLECTOR
from tests.conftest import Compile
from tests.recorder.recorder import record

# Words that are written in parts, now and then or all the time, in blocks that come and go.
PARTS = r"""
#include <stdlib.h>
#include <string.h>
struct part { unsigned key; unsigned hits; struct part *next; char text[12]; short a, b; };
struct part *parts[300];
int main(void) {
    unsigned long seed = 7;
    for (int i = 0; i < 300000; i++) {
        seed = seed * 6364136223846793005ul + 1442695040888963407ul;
        unsigned at = (seed >> 33) % 300;
        struct part *part = parts[at];
        if (!part) {
            part = parts[at] = i % 2 ? calloc(1, sizeof *part) : malloc(sizeof *part);
            part->key = i;
            part->hits = 0;
            part->next = parts[(at + 1) % 300];
        }
        part->hits++;
        if (seed >> 40 & 1)
            part->a = (short)seed;
        if ((seed >> 41) % 8 == 0)
            memset(part->text, i, 9);
        if ((seed >> 45) % 8 == 0)
            part->next = parts[(at + i) % 300];
        if ((seed >> 50) % 256 == 0) {
            parts[at] = i % 3 ? NULL : realloc(part, 2 * sizeof *part);
            if (!parts[at])
                free(part);
        }
    }
    return 0;
}
"""


def replayed(stream: Path, trace: Path, least: int) -> api.Trace:
    words = [f"--records={stream}", f"--trace={trace}", f"--keyframe-least={least}"]
    subprocess.run([native_folder() / COLLECTOR, *words], check=True)
    return api.open(trace)


def state(trace: api.Trace, at: int) -> Any:
    graph = trace.graph(at=at)
    return graph.node_columns, [(e.source, e.offset, e.value, e.timestamp) for e in graph.data()]


def test_keyframes_change_no_answer(
    compile_program: Compile, recorder_library: Path, tmp_path: Path
) -> None:
    recorded = record(recorder_library, [str(compile_program(PARTS))], tmp_path)
    stream = recorded.trace.folder / "stream"
    many = replayed(stream, tmp_path / "many.story", 1)
    none = replayed(stream, tmp_path / "none.story", 1 << 40)
    assert many.info().counts["chunks"] > none.info().counts["chunks"] + 3
    chance = random.Random(3)
    for at in [many.last, *(chance.randint(1, many.last) for _ in range(8))]:
        assert state(many, at) == state(none, at)
        alive = many.graph(at=at).ids
        for node in chance.sample(alive, 40):
            assert many.fields(node, at) == none.fields(node, at)
