"""Damages copies of a trace and asks them what the whole one was asked.

Run as a program, so that a crash of the core is seen: damage.py TRACE cut|flip COUNT SEED. Prints
how many answers were refused, incomplete or whole; a wrong one ends it with a traceback.
"""

from __future__ import annotations

import contextlib
import io
import os
import random
import re
import shutil
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import heapstory
from heapstory.commands import main as command

SPECIFICATION = """\
node { next*; value; }
root: node from lists;
list(next);
"""
# What every command that opens a trace is asked; TRACE and SPEC are put in their places.
QUESTIONS = [
    ("info", "TRACE"),
    ("info", "TRACE", "--json"),
    ("info", "TRACE", "--suspicious"),
    ("graph", "TRACE", "--json"),
    ("graph", "TRACE", "--json", "--freed", "--data"),
    ("graph", "TRACE", "--limit", "0"),
    ("history", "TRACE", "--node", "40", "--json"),
]
# The same, where the answer takes longer: less often.
LONG_QUESTIONS = [
    ("query", "TRACE", "SELECT * FROM nodes ORDER BY node"),
    ("query", "TRACE", "SELECT count(*), sum(timestamp) FROM events"),
    ("query", "TRACE", "SELECT * FROM edges ORDER BY ALL LIMIT 50"),
    ("query", "TRACE", "SELECT * FROM sites ORDER BY ALL"),
    ("graph", "TRACE", "--json", "--evolution"),
    ("locate", "TRACE", "--spec", "SPEC", "--json"),
    ("infer", "TRACE"),
]
LONG_EVERY = 20
FINDINGS, USAGE, FAILED, INCOMPLETE = 1, 2, 3, 4


@dataclass(frozen=True)
class Said:
    """What a command answered."""

    status: int
    out: str
    err: str


def said(question: tuple[str, ...], trace: Path) -> Said:
    names = {"TRACE": str(trace), "SPEC": str(trace.with_name("list.spec"))}
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = command([names.get(word, word) for word in question])
    timeless = re.sub(r'"seconds": [0-9.e-]+|"timing": {[^}]*}', "", out.getvalue())
    return Said(status, timeless, err.getvalue())


def verdict(answer: Said, truth: Said) -> str:
    """Whole and the same, incomplete and told so, or refused in one line."""
    if answer == truth:
        return "whole"
    if answer.status == FAILED:
        assert re.fullmatch(r"heapstory: .+\n", answer.err), answer
        return "refused"
    if "is incomplete" in answer.err:
        assert answer.status in (FINDINGS, INCOMPLETE), answer
        return "incomplete"
    if answer.status in (USAGE, INCOMPLETE) and not answer.out:
        # What was asked about came later, or has lost its name.
        assert answer.err.startswith("heapstory: "), answer
        return "not there"
    raise AssertionError((answer, truth))


class Whole:
    """The undamaged trace, asked at the timestamps that the damaged ones reach."""

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


def check_graphs(path: Path, whole: Whole) -> None:
    """As far as a copy can be read, its graphs are those of the whole trace.

    What the other modes find out late tells more of earlier moments, too: there only whole ones.
    """
    try:
        with heapstory.open(path) as trace:
            last = trace.last
            assert last <= whole.trace.last
            assert trace.complete == (last == whole.trace.last and trace.damage is None) or not last
            if not trace.complete and whole.trace.info().mode != "alloc":
                return
            for at in {last, last // 2}:
                assert graph(trace, at) == whole.graph(at), f"another graph at {at}"
    except heapstory.HeapstoryError as error:
        assert "\n" not in str(error), error


def damage(path: Path, how: str, chance: random.Random) -> None:
    """Cuts one of the files off, or flips one bit; where there is more, more often."""
    files = [file for file in path.iterdir() if file.name != "record.json"]  # which nobody reads
    weights = [file.stat().st_size + 2000 for file in files]
    (file,) = chance.choices(files, weights)
    data = bytearray(file.read_bytes())
    position = chance.randrange(len(data))
    if how == "cut":
        del data[position:]
    else:
        data[position] ^= 1 << chance.randrange(8)
    file.write_bytes(data)


def main() -> None:
    source, how, count, seed = Path(sys.argv[1]), *sys.argv[2:]
    os.environ["HEAPSTORY_DEBUG"] = "1"  # an internal error is a traceback
    whole = Whole(source)
    chance = random.Random(int(seed))
    verdicts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "copy.story"
        copy.with_name("list.spec").write_text(SPECIFICATION)
        shutil.copytree(source, copy)
        truths = {question: said(question, copy) for question in [*QUESTIONS, *LONG_QUESTIONS]}
        for number in range(int(count)):
            shutil.rmtree(copy)
            shutil.copytree(source, copy)
            damage(copy, how, chance)
            question = QUESTIONS[number % len(QUESTIONS)]
            if number % LONG_EVERY == 0:
                question = LONG_QUESTIONS[number // LONG_EVERY % len(LONG_QUESTIONS)]
            try:
                verdicts[verdict(said(question, copy), truths[question])] += 1
                if number % 10 == 5:
                    check_graphs(copy, whole)
            except BaseException:
                print(f"copy {number} of {how}, asked for {question}", file=sys.stderr)
                raise
    print(dict(verdicts))


if __name__ == "__main__":
    main()
