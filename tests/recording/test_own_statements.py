"""What library headers put into a program counts for the statements that use it."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

import heapstory as api
from tests.conftest import Compile, Heapstory, Record

PROGRAM = r"""
#include <list>
#include <map>
int main() {
    std::list<int> list;
    std::map<int, int> map;
    for (int i = 0; i < 3; ++i) {
        list.push_back(i); // here
        map[i] = i; // here
    }
    return 0;
}
"""


@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_statements_are_the_program_s_own(
    level: str, record: Record, heapstory: Heapstory, tmp_path: Path
) -> None:
    (tmp_path / "own.cpp").write_text(PROGRAM)
    subprocess.run(["g++", "-g", level, "own.cpp", "-o", "own"], cwd=tmp_path, check=True)
    trace = record(tmp_path / "own")
    here = {n for n, line in enumerate(PROGRAM.splitlines(), 1) if line.endswith("// here")}
    with api.open(trace) as opened:
        nodes = opened.core.graph(opened.last, True).nodes()
        columns = (nodes.column(name) for name in ("kind", "type", "created_stack"))
        made = [
            place
            for kind, type_id, stack in zip(*columns, strict=True)
            if kind == "heap" and type_id and (place := opened.places.statement(stack))
        ]
    assert {(place.file, place.line) for place in made} == {("own.cpp", line) for line in here}
    graph = json.loads(heapstory("graph", trace, "--freed", "--json").stdout)
    places = [edge["place"] for edge in graph["edges"] if edge["place"] and edge["field"]]
    assert {place["file"] for place in places} == {"own.cpp"}


SORTING = r"""
#include <stdlib.h>
#include <string.h>
struct item { char *name; };
static long lengths;
static int compare(const void *a, const void *b) {
    const struct item *x = a, *y = b;
    lengths += strlen(strdup(x->name));
    return strcmp(x->name, y->name); /* at -O2 a jump: only strcmp returns */
}
int main(void) {
    static const char *names[] = {"e", "d", "c", "b", "a"};
    struct item *items = malloc(sizeof names);
    memset(items, 0, sizeof names);
    for (int i = 0; i < 5; i++)
        items[i].name = strdup(names[i]);
    qsort(items, 5, sizeof *items, compare); // sorted
    return items[0].name[0] != 'a';
}
"""


@pytest.mark.parametrize("mode", [(), ("--stream",)])
def test_callbacks_that_end_in_a_jump_do_not_stay(
    mode: tuple[str, ...], record: Record, heapstory: Heapstory, compile_program: Compile
) -> None:
    trace = record(compile_program(SORTING, "-O2"), options=mode)
    (line,) = [n for n, text in enumerate(SORTING.splitlines(), 1) if text.endswith("// sorted")]
    graph = json.loads(heapstory("graph", trace, "--json").stdout)
    heap = [node for node in graph["nodes"] if node["kind"] == "heap"]
    (items,) = [node["id"] for node in heap if node["size"] == 40]
    stored = [edge["place"]["line"] for edge in graph["edges"] if edge["from"]["node"] == items]
    assert stored == [line] * 5
