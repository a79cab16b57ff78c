# SPDX-License-Identifier: GPL-2.0-or-later
"""Where blocks are lost, and the bracket that ``leaks --confirm`` gives for it."""

from __future__ import annotations

import json
from pathlib import Path

import heapstory
from heapstory.confirm import Execution
from heapstory.slicing import Slicing, find_loss
from tests.conftest import Compile, Heapstory

PROGRAM = """#include <stdlib.h>
struct node { struct node *next; int key; };
static struct node *head;
static void local(void) {
    int *p = malloc(40);
    p[1] = 4;
} /* returned */
static int overwritten(void) {
    char *q = malloc(10);
    q[0] = 1;
    q = malloc(20); /* overwritten */
    int r = q[0] = 2;
    free(q);
    return r;
}
static void push(int key) {
    struct node *n = malloc(sizeof *n);
    n->next = head;
    n->key = key;
    head = n;
}
int main(void) {
    for (int i = 0; i < 3; i++)
        push(i);
    local();
    overwritten();
    head = NULL; /* dropped */
    static char *stay;
    stay = malloc(5);
    return 0;
}
"""
SIZES = {40: "returned", 10: "overwritten", 16: "dropped"}


def line(comment: str) -> int:
    return next(n for n, text in enumerate(PROGRAM.splitlines(), 1) if f"/* {comment} */" in text)


def test_where_blocks_are_lost(
    compile_program: Compile, heapstory: Heapstory, tmp_path: Path
) -> None:
    trace = tmp_path / "t.story"
    heapstory("record", "--stream", "-o", trace, "--", compile_program(PROGRAM))
    sql = "SELECT node, size, freed FROM nodes WHERE kind = 'heap' AND type IS NOT NULL"
    rows = json.loads(heapstory("query", trace, sql, "--json").stdout)["rows"]
    assert len(rows) == 7
    for node, size, freed in rows:
        done = heapstory("slice", trace, "--lost", str(node), "--json")
        if size in SIZES:
            answer = json.loads(done.stdout)
            assert f"by program.c:{line(SIZES[size])}" in answer["about"][0]
            assert answer["place"]["line"] == line(SIZES[size])
        else:
            assert done.returncode == 2
            assert ("was freed at" if freed else "until the end") in done.stderr


def test_the_bracket_of_a_confirmed_leak_contains_it(
    compile_program: Compile, tmp_path: Path
) -> None:
    program = compile_program(PROGRAM)
    found = heapstory.leaks(program.with_suffix(".c"), min_confidence="low", cache=False)
    found.confirm(Execution([str(program)]))
    with heapstory.record([program], tmp_path / "t.story", stream=True) as trace:
        slicing = Slicing(trace)
        nodes = trace.query("SELECT size, node FROM nodes WHERE kind = 'heap'").rows
        checked = set()
        for finding in found.findings:
            size = next((s for s, word in SIZES.items() if line(word) == finding.place.line), None)
            if finding.confirmation is None or finding.confirmation.moment is None or not size:
                continue
            moment = finding.confirmation.moment
            for node in (number for bytes, number in nodes if bytes == size):
                loss = find_loss(slicing, node)
                assert loss is not None
                assert moment.after <= loss.timestamp <= moment.before
                checked.add(size)
    assert {40, 10} <= checked


UNUSED = """#include <stdlib.h>
void *(*volatile make)(size_t) = malloc;
static void mark(void) {}
int main(void) {
    char *p = malloc(8);
    mark();
    p = NULL;
    make(4);
    return 0;
}
"""


def test_a_result_that_nothing_used(
    compile_program: Compile, heapstory: Heapstory, tmp_path: Path
) -> None:
    trace = tmp_path / "t.story"
    heapstory("record", "--stream", "-o", trace, "--", compile_program(UNUSED))
    done = heapstory("slice", trace, "--lost", _node(heapstory, trace, 4))
    assert (done.returncode, done.stdout) == (4, "")
    assert "nothing used what the allocation returned" in done.stderr


def test_a_stream_that_ended_before_the_loss(
    compile_program: Compile, heapstory: Heapstory, tmp_path: Path
) -> None:
    trace = tmp_path / "t.story"
    window = ("--stream-until", "mark")
    heapstory("record", *window, "-o", trace, "--", compile_program(UNUSED))
    done = heapstory("slice", trace, "--lost", _node(heapstory, trace, 8))
    assert (done.returncode, done.stdout) == (4, "")
    assert "when the stream ended" in done.stderr and "--stream-until" in done.stderr


def _node(heapstory: Heapstory, trace: Path, size: int) -> str:
    sql = f"SELECT node FROM nodes WHERE kind = 'heap' AND size = {size}"
    ((node,),) = json.loads(heapstory("query", trace, sql, "--json").stdout)["rows"]
    return str(node)
