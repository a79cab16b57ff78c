# SPDX-License-Identifier: GPL-2.0-or-later
"""Slices and structures: what led to a faulty statement, and why an edge is what it is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Compile, Heapstory, Record
from tests.support.programs import ROOT
from tests.support.schemas import check

PLAYLIST = (ROOT / "examples" / "playlist.c").read_text()
SPEC = ROOT / "examples" / "playlist.spec"

LINKS = """#include <stdlib.h>
struct node { struct node *next, *prev; int key; };
static struct node *first;
static void insert(int key, int linked) {
    struct node *n = malloc(sizeof *n);
    n->key = key;
    n->next = first;
    if (linked) /* test */
        n->prev = NULL; /* prev */
    first = n;
}
int main(int argc, char **argv) {
    int yes = argc; /* yes */
    int no = argc - 1; /* no */
    insert(1, yes);
    insert(2, no); /* unlinked */
    insert(3, yes);
    return 0;
}
"""


def line(source: str, comment: str) -> int:
    return next(n for n, text in enumerate(source.splitlines(), 1) if f"/* {comment} */" in text)


@pytest.fixture(scope="module")
def playlist(
    compile_program: Compile, heapstory: Heapstory, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    trace = tmp_path_factory.mktemp("structures") / "p.story"
    heapstory("record", "--stream", "-o", trace, "--", compile_program(PLAYLIST))
    return trace


def asked(heapstory: Heapstory, *words: str | Path, status: int = 0) -> Any:
    done = heapstory(*words, "--json")
    assert done.returncode == status, done.stderr
    return json.loads(done.stdout)


def songs(heapstory: Heapstory, trace: Path) -> list[int]:
    sql = "SELECT node FROM nodes WHERE type = 'struct song' ORDER BY node"
    return [row[0] for row in asked(heapstory, "query", trace, sql)["rows"]]


def test_what_led_to_faulty_statements(
    playlist: Path, heapstory: Heapstory, tmp_path: Path
) -> None:
    words = ("locate", playlist, "--spec", SPEC, "--slice")
    answer = asked(heapstory, *words, status=1)
    sliced = {fault["ts"]: fault["slice"] for fault in answer["faults"] if "slice" in fault}
    assert len(sliced) == len(answer["statements"]) == 2
    for timestamp, one in sliced.items():
        alone = asked(heapstory, "slice", playlist, "--criterion", f"@{timestamp}")
        assert one["statements"] == alone["statements"]
    text = heapstory(*words).stdout
    _, second, _ = songs(heapstory, playlist)
    assert "led to by 13 statements:" in text and f"song = &node {second}" in text
    log, page = tmp_path / "log.sarif", tmp_path / "page.html"
    heapstory(*words, "--sarif", log, "-o", page)
    flows = [
        len(result["codeFlows"][0]["threadFlows"][0]["locations"])
        for result in check("sarif", log.read_text())["runs"][0]["results"]
    ]
    assert min(flows) > 5
    assert page.read_text().count("led to by") == 2
    plain = asked(heapstory, *words[:-1], status=1)
    assert not any("slice" in fault for fault in plain["faults"])


def test_locate_wants_a_stream_for_slices(
    compile_program: Compile, heapstory: Heapstory, tmp_path: Path
) -> None:
    trace = tmp_path / "t.story"
    heapstory("record", "-o", trace, "--", compile_program(PLAYLIST))
    done = heapstory("locate", trace, "--spec", SPEC, "--slice")
    assert done.returncode == 2 and "record --stream" in done.stderr


def test_the_last_write_of_an_edge(playlist: Path, heapstory: Heapstory) -> None:
    first, second, third = songs(heapstory, playlist)
    answer = asked(heapstory, "slice", playlist, "--edge", f"{first}.next", "--spec", SPEC)
    (written, *broken) = answer["about"]
    assert written.startswith(f"node {first}.next = node {third}, written at timestamp")
    assert written.endswith("by program.c:38")
    assert broken and all(text.startswith("against ") for text in broken)
    timestamp = written.split("timestamp ")[1].split()[0]
    alone = asked(heapstory, "slice", playlist, "--criterion", f"@{timestamp}")
    assert answer["statements"] == alone["statements"]
    before = asked(heapstory, "slice", playlist, "--edge", f"{first}.next@{int(timestamp) - 1}")
    assert f"node {first}.next = node {second}" in before["about"][0]


def test_an_edge_that_was_never_written(
    compile_program: Compile, heapstory: Heapstory, tmp_path: Path
) -> None:
    trace = tmp_path / "t.story"
    heapstory("record", "--stream", "-o", trace, "--", compile_program(LINKS))
    sql = "SELECT node FROM nodes WHERE type = 'struct node' ORDER BY node"
    first, second, third = (row[0] for row in asked(heapstory, "query", trace, sql)["rows"])
    answer = asked(heapstory, "slice", trace, "--edge", f"{second}.prev")
    (about,) = answer["about"]
    assert f"program.c:{line(LINKS, 'test')} kept program.c:{line(LINKS, 'prev')}" in about
    found = {one["line"] for one in answer["statements"]}
    assert {line(LINKS, "test"), line(LINKS, "unlinked"), line(LINKS, "no")} <= found
    assert line(LINKS, "yes") not in found
    for other in (first, third):
        (about,) = asked(heapstory, "slice", trace, "--edge", f"{other}.prev")["about"]
        assert f"node {other}.prev = NULL, written at" in about


REPAIR = """#include <stdlib.h>
struct node { struct node *next, *owner; int fits, size; };
static struct node *first, *spare;
static int noise;
static void own(struct node *n, int depth) {
    if (depth > 0)
        own(n->next, depth - 1);
    if (n->fits) /* test */
        n->owner = spare; /* owner */
}
static struct node *make(int fits) {
    struct node *n = malloc(sizeof *n);
    n->fits = fits; /* fits */
    n->size = 1;
    n->next = first;
    first = n;
    return n;
}
int main(int argc, char **argv) {
    int yes = argc;
    int never = 0; /* other */
    int no = argc - 1; /* no */
    spare = malloc(sizeof *spare);
    make(yes);
    make(no); /* asked */
    make(yes);
    make(never);
    for (struct node *n = first; n; n = n->next)
        noise += n->size;
    DO
    return 0;
}
"""


@pytest.mark.parametrize("level", ["-O0", "-O2"])
@pytest.mark.parametrize(
    "ways",
    ["for (struct node *n = first; n; n = n->next) own(n, 0);", "own(first, 3);"],
    ids=["loop", "recursion"],
)
def test_the_execution_that_is_about_the_node(
    ways: str, level: str, compile_program: Compile, record: Record, heapstory: Heapstory
) -> None:
    """The same branch runs for other nodes before: theirs are not the reason."""
    source = REPAIR.replace("DO", ways)
    trace = record(compile_program(source, level, "-fno-inline"), options=("--stream",))
    sql = "SELECT node FROM nodes WHERE kind = 'heap' ORDER BY node"
    _, _, asked_about, _, _ = (row[0] for row in asked(heapstory, "query", trace, sql)["rows"])
    answer = asked(heapstory, "slice", trace, "--edge", f"{asked_about}.owner")
    (about,) = answer["about"]
    assert f"program.c:{line(source, 'test')} kept program.c:{line(source, 'owner')}" in about
    found = {one["line"] for one in answer["statements"]}
    assert {line(source, "asked"), line(source, "fits"), line(source, "no")} <= found
    assert line(source, "other") not in found


def test_an_edge_whose_branch_is_outside_of_the_stream(
    compile_program: Compile, heapstory: Heapstory, tmp_path: Path
) -> None:
    trace = tmp_path / "t.story"
    window = ("--stream-for", "1000")
    heapstory("record", *window, "-o", trace, "--", compile_program(LINKS))
    sql = "SELECT node FROM nodes WHERE type = 'struct node' ORDER BY node"
    _, second, _ = (row[0] for row in asked(heapstory, "query", trace, sql)["rows"])
    done = heapstory("slice", trace, "--edge", f"{second}.prev")
    assert (done.returncode, done.stdout) == (4, "") and "a part of the run" in done.stderr


@pytest.mark.parametrize(
    ("edge", "words"),
    [("x", "wants NODE.FIELD"), ("7.nothing", "no field nothing"), ("7.next@999999", "999999")],
)
def test_edges_that_are_none(edge: str, words: str, playlist: Path, heapstory: Heapstory) -> None:
    done = heapstory("slice", playlist, "--edge", edge)
    assert done.returncode == 2 and words in done.stderr


def test_a_specification_goes_with_an_edge(playlist: Path, heapstory: Heapstory) -> None:
    done = heapstory("slice", playlist, "--criterion", "@2", "--spec", SPEC)
    assert done.returncode == 2 and "--edge" in done.stderr
