"""Bad traces: cut off, with flipped bits, of a newer version, or no traces at all."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import Compile, Heapstory, Record
from tests.support.programs import ROOT

# Few nodes and many stores into few places: several chunks, and answers that come quickly.
BUSY = """
#include <stdlib.h>
struct node { struct node *next; long value; };
struct node *lists[16];
long sums[8];
int main(void) {
    for (long i = 0; i < 100; i++) {
        struct node *node = malloc(sizeof *node);
        for (long j = 0; j < 1500; j++)
            sums[j % 8] += 1;
        node->value = sums[0];
        node->next = lists[i % 16];
        lists[i % 16] = node;
        if (i % 3 == 0) {
            struct node *gone = lists[i % 7];
            if (gone) { lists[i % 7] = gone->next; free(gone); }
        }
    }
    free(malloc(0));
    return 0;
}
"""


@pytest.fixture
def busy(compile_program: Compile, record: Record) -> Path:
    return record(compile_program(BUSY))


@pytest.mark.parametrize(("mode", "count"), [("alloc", 500), ("portable", 250), ("internals", 250)])
@pytest.mark.parametrize("how", ["cut", "flip"])
def test_a_thousand_damaged_traces(
    compile_program: Compile, record: Record, how: str, mode: str, count: int
) -> None:
    """Every command: refused in one line, or incomplete and told so; never a wrong answer."""
    trace = record(compile_program(BUSY), options=("--mode", mode))
    done = subprocess.run(
        [sys.executable, "-m", "tests.trace.damage", trace, how, str(count), "1"],
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr[-3000:]


def test_a_cut_trace_on_the_command_line(busy: Path, heapstory: Heapstory) -> None:
    largest = max((f for f in busy.rglob("*") if f.is_file()), key=lambda f: f.stat().st_size)
    data = largest.read_bytes()
    largest.write_bytes(data[: len(data) // 2])
    done = heapstory("info", busy, "--json")
    assert done.returncode in (3, 4)
    assert done.stderr.count("\n") == 1
    if done.returncode == 4:
        assert json.loads(done.stdout)["complete"] is False


@pytest.mark.parametrize("verb", ["info", "graph", "history", "query", "view"])
def test_what_is_no_trace(verb: str, tmp_path: Path, heapstory: Heapstory) -> None:
    more = {"history": ["--node", "1"], "query": ["SELECT 1"]}.get(verb, [])
    empty = tmp_path / "empty.story"
    empty.mkdir()
    wrong = tmp_path / "wrong.story"
    wrong.mkdir()
    (wrong / "meta.json").write_text("not json")
    (wrong / "chunks").write_bytes(bytes(1000))
    for path in (empty, wrong, ROOT):
        done = heapstory(verb, path, *more)
        assert (done.returncode, done.stdout) == (3, "")
        assert done.stderr.count("\n") == 1
        assert str(path) in done.stderr


def test_a_trace_of_a_newer_version(busy: Path, heapstory: Heapstory, tmp_path: Path) -> None:
    newer = tmp_path / "newer.story"
    shutil.copytree(busy, newer)
    meta = json.loads((newer / "meta.json").read_text())
    meta["format"] += 1
    del meta["checksum"]
    (newer / "meta.json").write_text(json.dumps(meta))
    done = heapstory("info", newer)
    assert (done.returncode, done.stdout) == (3, "")
    assert "newer than this heapstory" in done.stderr
    assert done.stderr.count("\n") == 1


def flip(chunks: Path, offset: int) -> None:
    data = bytearray(chunks.read_bytes())
    data[offset] ^= 4
    chunks.write_bytes(data)


def chunks_of(chunks: Path) -> list[tuple[int, int, int]]:
    """Kind, offset of the payload and length of every chunk, as the headers say."""
    data = chunks.read_bytes()
    found, at = [], 0
    while data[at : at + 4] == b"HSCK":
        kind = int.from_bytes(data[at + 4 : at + 6], "little")
        length = int.from_bytes(data[at + 16 : at + 24], "little")
        found.append((kind, at + 72, length))
        at += 72 + (length + 7 & ~7)
    return found


EVENTS, NODES, WORDS = 1, 6, 7


def test_what_is_whole_of_a_damaged_trace_answers(busy: Path, heapstory: Heapstory) -> None:
    whole = json.loads(heapstory("info", busy, "--json").stdout)
    events = [chunk for chunk in chunks_of(busy / "chunks") if chunk[0] == EVENTS]
    assert len(events) > 2
    _, offset, length = events[-1]
    flip(busy / "chunks", offset + length // 2)
    for words in (["info", "--json"], ["graph"], ["query", "SELECT count(*) FROM events"]):
        answer = heapstory(words[0], busy, *words[1:])
        assert answer.returncode == 4 and answer.stderr.count("\n") == 1
        assert f"reading stopped at byte {offset - 72}" in answer.stderr
    left = json.loads(heapstory("info", busy, "--json").stdout)
    assert 0 < left["timestamps"] < whole["timestamps"] and not left["complete"]


def test_nothing_is_told_without_the_beginning(busy: Path, heapstory: Heapstory) -> None:
    _, offset, length = chunks_of(busy / "chunks")[0]
    flip(busy / "chunks", offset + length // 2)
    answer = heapstory("query", busy, "SELECT * FROM nodes")
    assert (answer.returncode, answer.stdout) == (3, "")


@pytest.mark.parametrize("kind", [NODES, WORDS])
def test_what_can_be_made_again_is(busy: Path, heapstory: Heapstory, kind: int) -> None:
    query = "SELECT node, address, created, freed FROM nodes ORDER BY node"
    whole = [heapstory("query", busy, query).stdout, heapstory("graph", busy, "--json").stdout]
    _, offset, length = next(c for c in chunks_of(busy / "chunks") if c[0] == kind)
    flip(busy / "chunks", offset + length // 2)
    answers = [heapstory("query", busy, query), heapstory("graph", busy, "--json")]
    assert [a.stdout for a in answers] == whole
    assert {a.returncode for a in answers} <= {0, 4}  # 0: it was not needed
