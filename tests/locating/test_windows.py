"""Long traces are looked at in part first; the answer is that of the whole."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

import heapstory
from heapstory import constraints
from heapstory.locating import Diagnosis, search
from tests.conftest import Heapstory, Record

PROGRAM = r"""
#include <stdlib.h>
struct node { long visits; struct node *next; };
struct list { struct node *head; };
void push(struct list *list) {
    struct node *node = calloc(1, sizeof *node);
    node->next = list->head;
    list->head = node;
}
void close_ring(struct list *list) {
    struct node *last = list->head;
    while (last->next)
        last = last->next;
    last->next = list->head;
}
void visit(struct list *list, long most) {
    for (struct node *node = list->head; node && most--; node = node->next)
        node->visits++;
}
int main(void) {
    struct list *list = calloc(1, sizeof *list);
    for (int i = 0; i < 20; i++)
        push(list);
    visit(list, 100);
    RING;
    visit(list, 4000);
    return 0;
}
"""
SPEC = "node { visits; next*; }\nlist { head^; }\nroot: node from list.head;\nlist(next);\n"


def recorded(folder: Path, record: Record, ring: str) -> Path:
    source, binary = folder / "ring.c", folder / "ring"
    source.write_text(PROGRAM.replace("RING", ring))
    subprocess.run(["gcc", "-g", "-O0", source, "-o", binary], check=True)
    (folder / "list.spec").write_text(SPEC)
    return record(binary)


def located(trace: Path, spec: Path) -> Diagnosis:
    with heapstory.open(trace) as opened:
        return heapstory.locate(opened, constraints.load(spec))


def test_the_same_answer(tmp_path: Path, record: Record, monkeypatch: pytest.MonkeyPatch) -> None:
    trace = recorded(tmp_path, record, "close_ring(list)")
    whole = located(trace, tmp_path / "list.spec")
    assert whole.bad is not None and whole.bad.function == "close_ring"
    timestamps = []
    real = search._Search.within

    def within(self: search._Search, until: int | None) -> Diagnosis:
        timestamps.append(until)
        return real(self, until)

    monkeypatch.setattr(search, "MARGIN", 1)
    monkeypatch.setattr(search, "WINDOWS", (100, whole.bad.timestamp + 1))
    monkeypatch.setattr(search._Search, "within", within)
    part = located(trace, tmp_path / "list.spec")
    assert timestamps == [100, whole.bad.timestamp + 1], "the rest is not looked at"
    assert part.bad is not None and part.bad.timestamp == whole.bad.timestamp
    assert part.statements == whole.statements
    assert part.inconsistencies == whole.inconsistencies


def test_what_was_seen_when_memory_runs_out(
    tmp_path: Path, record: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace = recorded(tmp_path, record, "")
    real = search._Search.within

    def within(self: search._Search, until: int | None) -> Diagnosis:
        if until is None:
            raise MemoryError
        return real(self, until)

    monkeypatch.setattr(search, "WINDOWS", (500,))
    monkeypatch.setattr(search._Search, "within", within)
    seen = located(trace, tmp_path / "list.spec")
    assert seen.bad is None
    assert any("after timestamp 500 of" in text for text in seen.unmatched)


def test_the_command_looks_at_all_of_a_good_run(
    tmp_path: Path, record: Record, heapstory: Heapstory
) -> None:
    trace = recorded(tmp_path, record, "")
    done = heapstory("locate", trace, "--spec", tmp_path / "list.spec", "--json")
    answer = json.loads(done.stdout)
    assert done.returncode == 0
    assert answer["cpoints"][-1]["kind"] == "end"
