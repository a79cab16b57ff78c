"""Opens damaged copies of a trace and compares what they answer with the whole one.

Run as a program, so that a crash of the core is seen: damage.py TRACE cut|flip COUNT SEED. Prints
how many copies were refused, incomplete or whole; a wrong answer ends it with a traceback.
"""

from __future__ import annotations

import random
import shutil
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import heapstory


class Answers:
    """What the whole trace says, asked at the timestamps that the damaged ones reach."""

    def __init__(self, path: Path) -> None:
        self.trace = heapstory.open(path)
        self.graphs: dict[int, Any] = {}

    def graph(self, at: int) -> Any:
        if at not in self.graphs:
            self.graphs[at] = graph(self.trace, at)
        return self.graphs[at]


def graph(trace: heapstory.Trace, at: int) -> Any:
    """Nodes and pointers as of a timestamp, without names: symbols may be what was lost."""
    view = trace.graph(at=at)
    nodes, edges = view.node_columns, view.edge_columns
    blocks = zip(nodes["id"], nodes["kind"], nodes["address"], nodes["size"], strict=True)
    pointers = zip(edges["source"], edges["offset"], edges["value"], edges["state"], strict=True)
    heap = {row for row in blocks if row[1] == "heap"}
    ids = {row[0] for row in heap}
    return heap, {row for row in pointers if row[0] in ids and row[3] == "live"}


def ask(path: Path, truth: Answers) -> str:
    """Opens one copy; the verdict, or an exception if it answered wrongly."""
    try:
        with heapstory.open(path) as trace:
            info = trace.info()
            last = trace.last
            assert last <= truth.trace.last
            assert info.complete == (last == truth.trace.last and info.damage is None) or not last
            for at in {last, last // 2}:
                assert graph(trace, at) == truth.graph(at), f"another graph at {at}"
            trace.query("SELECT count(*) FROM events, sites")
            return "whole" if info.complete else "incomplete"
    except heapstory.HeapstoryError as error:
        assert "\n" not in str(error), error
        return "refused"


def damage(path: Path, how: str, chance: random.Random) -> None:
    files = [file for file in path.rglob("*") if file.is_file() and file.suffix != ".json"]
    weights = [file.stat().st_size for file in files]
    (file,) = chance.choices(files, weights)
    data = bytearray(file.read_bytes())
    position = chance.randrange(len(data))
    if how == "cut":
        del data[position:]
    else:
        data[position] ^= 1 << chance.randrange(8)
    file.write_bytes(data)


def main() -> None:
    source, how, count, seed = sys.argv[1:]
    truth = Answers(Path(source))
    chance = random.Random(int(seed))
    verdicts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        for number in range(int(count)):
            copy = Path(folder) / "copy.story"
            shutil.copytree(source, copy)
            damage(copy, how, chance)
            try:
                verdicts[ask(copy, truth)] += 1
            except BaseException:
                print(f"copy {number} of {how}", file=sys.stderr)
                raise
            shutil.rmtree(copy)
    print(dict(verdicts))


if __name__ == "__main__":
    main()
