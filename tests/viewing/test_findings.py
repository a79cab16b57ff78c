"""Findings of every command, as the page gets them: each with its moment in the trace."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import heapstory as api
from heapstory.errors import UsageError
from heapstory.viewing import findings
from tests.conftest import Compile, Heapstory, Record
from tests.support.programs import ROOT

STALE = """#include <stdlib.h>
struct item { int value; struct item *next; };
struct item *head, *kept;
static void add(int value) {
    struct item *made = malloc(sizeof *made);
    made->value = value;
    made->next = head;
    head = made;
}
static void drop(void) {
    struct item *first = head;
    head = first->next;
    free(first);
}
int main(void) {
    for (int i = 0; i < 5; i++) add(i);
    kept = head;
    drop();
    volatile int seen = kept->value; /* use after free */
    (void)seen;
    head->next = NULL; /* loses three items */
    free(kept); /* double free */
    return 0;
}
"""
FREED = """#include <stdlib.h>
struct item { struct item *next; int value; };
struct item *kept;
int main(void) {
    struct item *made = malloc(sizeof *made);
    kept = made;
    free(made);
    kept->value = 5;
    return 0;
}
"""
LEAK = """#include <stdlib.h>
char *text;
int main(void) {
    text = malloc(30);
    text[0] = 1;
    text = NULL;
    return 0;
}
"""


def line_of(program: str, words: str) -> int:
    return next(i for i, line in enumerate(program.split("\n"), 1) if words in line)


def test_errors_of_check_have_their_moment(
    compile_program: Compile, heapstory: Heapstory, tmp_path: Path
) -> None:
    trace, answer = tmp_path / "stale.story", tmp_path / "check.json"
    program = compile_program(STALE)
    heapstory("check", "--record", trace, "--json", answer, "--", program)
    with api.open(trace) as story:
        found = {one["kind"]: one for one in findings.read(story, str(answer))}
        freed = story.query("SELECT timestamp FROM frees WHERE error IS NULL ORDER BY 1")[0][0]
        read = found["unaddressable-read"]
        assert read["ts"] >= freed
        assert read["place"]["line"] == line_of(STALE, "use after free")
        assert story.node(read["node"]).freed is not None
        twice = found["double-free"]
        assert twice["ts"] >= read["ts"]
        assert twice["node"] == read["node"]
        lost = found["leak"]
        assert read["ts"] <= lost["ts"] <= story.last


def test_confirmed_leaks_have_their_moment(
    compile_program: Compile, heapstory: Heapstory, tmp_path: Path
) -> None:
    program = compile_program(LEAK)
    trace, page = tmp_path / "leak.story", tmp_path / "leaks.html"
    source = program.with_suffix(".c")
    words = ("--json", "--html", page, "--trace", trace, "--confirm", "--", program)
    done = heapstory("leaks", source, *words)
    (tmp_path / "leaks.json").write_text(done.stdout)
    with api.open(trace) as story:
        (one,) = findings.read(story, str(tmp_path / "leaks.json"))
        at = one["ts"]
        assert "confirmed" in one["text"]
        held = [edge.state for edge in story.graph(at - 1).edges if edge.field is None]
        assert held
        stores = story.query(
            f"SELECT timestamp FROM events JOIN sites USING (site) "
            f"WHERE line = {line_of(LEAK, 'text = NULL')} AND path = '{source}'"
        )
        assert at in [row[0] for row in stores]
    other = tmp_path / "other.story"
    heapstory("record", "-o", other, "--", compile_program(STALE.replace("free(kept);", "")))
    with api.open(other) as story, pytest.raises(UsageError, match="about another trace"):
        findings.read(story, str(tmp_path / "leaks.json"))
    # A loss that only a failing allocation showed is in a recording that was not kept.
    answer = json.loads(done.stdout)
    answer["leaks"][0]["confirmation"]["failed_allocation"] = answer["leaks"][0]["allocated"]
    (tmp_path / "leaks.json").write_text(json.dumps(answer))
    with api.open(trace) as story:
        assert findings.read(story, str(tmp_path / "leaks.json"))[0]["ts"] is None
    assert f"heapstory view {trace} --at {at}" in page.read_text()


def test_suspicions_have_their_moment(
    compile_program: Compile, heapstory: Heapstory, tmp_path: Path
) -> None:
    trace, answer = tmp_path / "attack.story", tmp_path / "info.json"
    attack = compile_program("discovery/attacks")
    heapstory("record", "--mode", "portable", "-o", trace, "--", attack, "struct")
    done = heapstory("info", trace, "--suspicious", "--json")
    answer.write_text(done.stdout)
    said = json.loads(done.stdout)["suspicious"]
    with api.open(trace) as story:
        found = findings.read(story, str(answer))
        assert said
        assert [one["ts"] for one in found] == [one["ts"] for one in said]
    other = tmp_path / "other.story"
    heapstory("record", "--mode", "portable", "-o", other, "--", attack, "none")
    with api.open(other) as story, pytest.raises(UsageError, match="about another trace"):
        findings.read(story, str(answer))


def test_a_suspicious_use_after_free_names_the_freed_node(
    compile_program: Compile, heapstory: Heapstory, tmp_path: Path
) -> None:
    trace, answer = tmp_path / "freed.story", tmp_path / "info.json"
    program = compile_program(FREED)
    heapstory("record", "--mode", "portable", "-o", trace, "--", program)
    answer.write_text(heapstory("info", trace, "--suspicious", "--json").stdout)
    with api.open(trace) as story:
        (one,) = findings.read(story, str(answer))
        place = story.node(one["node"]).freed
        assert place is not None
        assert place.place is not None
        assert place.place.line == line_of(FREED, "free(made)")
    assert one["title"].endswith("certain use after free")
    assert one["place"]["line"] == line_of(FREED, "kept->value")


def test_a_file_about_another_trace_is_refused(
    compile_program: Compile, heapstory: Heapstory, tmp_path: Path
) -> None:
    text = (ROOT / "examples" / "playlist.c").read_text()
    spec = ROOT / "examples" / "playlist.spec"
    program = compile_program(text)
    # The same program with other arguments, and another program with the same arguments.
    more = compile_program(text.replace("int main(", "int unused;\nint main("))
    answer = tmp_path / "found.json"
    for name, command in {"one": (program,), "two": (program, "x"), "three": (more,)}.items():
        heapstory("record", "-o", tmp_path / f"{name}.story", "--", *command)
    located = heapstory("locate", tmp_path / "one.story", "--spec", spec, "--json")
    answer.write_text(located.stdout)
    with api.open(tmp_path / "one.story") as story:
        assert findings.read(story, str(answer))
    for name in ("two", "three"):
        with (
            api.open(tmp_path / f"{name}.story") as story,
            pytest.raises(UsageError, match="about another trace"),
        ):
            findings.read(story, str(answer))
    counted = json.loads(located.stdout) | {"timestamps": 7}
    answer.write_text(json.dumps(counted))
    with (
        api.open(tmp_path / "one.story") as story,
        pytest.raises(UsageError, match="with 7 timestamps"),
    ):
        findings.read(story, str(answer))


def test_located_pages_name_the_view(
    compile_program: Compile, record: Record, heapstory: Heapstory, tmp_path: Path
) -> None:
    examples = ROOT / "examples"
    trace = record(compile_program((examples / "catalogue.c").read_text()))
    spec, page = examples / "catalogue.spec", tmp_path / "located.html"
    located = json.loads(heapstory("locate", trace, "--spec", spec, "--json").stdout)
    heapstory("locate", trace, "--spec", spec, "-o", page)
    moment = located["faults"][0]["ts"]
    assert f"heapstory view {trace} --at {moment} --spec {spec}" in page.read_text()
    assert "--ground: light-dark" in page.read_text()  # the colours of the view
