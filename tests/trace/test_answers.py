"""Small programs with the expected answer beside them in tests/trace/programs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import heapstory as api
from heapstory.graph.evolution import evolution
from heapstory.graph.model import Change, Node
from heapstory.reporters.graph import json as reporter
from tests.conftest import Compile, Heapstory, Record
from tests.support.programs import ROOT
from tests.support.programs import program as source_of

# The allocation hides behind a number, so only the pointer that holds the block tells its type.
HIDDEN = """
#include <stdint.h>
#include <stdlib.h>
struct item { struct item *next; long value; };
struct list { struct item *first; } list;
uintptr_t number;
__attribute__((noinline)) void reserve(unsigned long size) { number = (uintptr_t)malloc(size); }
int main(void) {
    for (int i = 0; i < 5; i++) {
        reserve(sizeof(struct item));
        struct item *item = (struct item *)number;
        item->next = list.first;
        item->value = i;
        list.first = item;
    }
    return 0;
}
"""


def expected(name: str) -> dict[str, object]:
    answer: dict[str, object] = json.loads(source_of(f"trace/{name}.json").read_text())
    return answer


def heap_nodes(trace: api.Trace, source: str) -> list[api.Node]:
    """The blocks that a program's own statements allocated, dead or alive."""
    nodes = trace.graph(freed=True).nodes
    return [n for n in nodes if n.kind == "heap" and n.created.place.file == source]


def test_figure_1_of_the_paper(compile_program: Compile, record: Record) -> None:
    """Nodes and edges carry the paper's timestamps (counted from the first) and statements."""
    trace = api.open(record(compile_program("trace/figure1")))
    nodes = heap_nodes(trace, "figure1.c")
    first = (nodes[0].created.timestamp or 0) - 1
    found = [[(n.created.timestamp or 0) - first, n.created.place.line] for n in nodes]
    assert found == expected("figure1")["nodes"]
    numbers = {node.id: index for index, node in enumerate(nodes)}
    graph = trace.graph(freed=True).part(numbers)
    edges = [
        {
            "node": numbers[edge.source],
            "field": edge.field,
            "ts": edge.timestamp - first,
            "line": edge.place.line if edge.place else None,
            "to": None if edge.target is None else numbers[edge.target],
            "current": edge.current,
        }
        for edge in evolution(graph)
    ]
    assert edges == expected("figure1")["edges"]


def test_graphs_of_figure_2(compile_program: Compile, record: Record) -> None:
    """The memory graph at each of the six timestamps, forward and back."""
    trace = api.open(record(compile_program("trace/figure1")))
    a, b = heap_nodes(trace, "figure1.c")
    first = a.created.timestamp or 0

    def at(step: int) -> tuple[set[int], list[tuple[int, int | None]]]:
        graph = trace.graph(at=first + step - 1)
        shown = {node for node in graph.ids if node in (a.id, b.id)}
        return shown, [(e.source, e.target) for e in graph.edges if e.source in shown and e.target]

    wanted = {
        1: ({a.id}, []),
        2: ({a.id}, []),
        3: ({a.id, b.id}, []),
        5: ({a.id, b.id}, [(a.id, b.id)]),
        6: ({a.id, b.id}, []),
    }
    for step in (1, 2, 3, 5, 6, 5, 3, 1):
        assert at(step) == wanted[step]


def test_what_advances_the_timestamp(compile_program: Compile, record: Record) -> None:
    # Bound at the start: binding a function at its first call writes to the program's data, too.
    trace = api.open(record(compile_program("trace/events", "-O0", "-Wl,-z,now")))
    rows = trace.query(
        "SELECT s.line, e.timestamp, e.silent FROM events e JOIN sites s USING (site) "
        "WHERE s.file = 'events.c' AND s.line BETWEEN 15 AND 27 ORDER BY event"
    )
    changes: dict[str, int] = {}
    before = rows[0][1]
    for line, timestamp, _ in list(rows)[1:]:
        if 16 <= line <= 26:
            changes[str(line)] = changes.get(str(line), 0) + timestamp - before
        before = timestamp
    assert changes == expected("events")["changes"]


def test_the_example_of_the_readme(
    compile_program: Compile, record: Record, heapstory: Heapstory
) -> None:
    """The playlist: the last song's prev still leads to the freed one, and who wrote it."""
    source = (ROOT / "examples/playlist.c").read_text()
    path = record(compile_program(source))
    trace = api.open(path)
    end = trace.graph().narrow(type="struct song")
    (stale,) = [edge for edge in end.edges if edge.state == "stale"]
    assert (stale.field, stale.place.function if stale.place else None) == ("prev", "append")
    assert trace.node(stale.target or 0).freed is not None
    names = {node.name for node in trace.graph().nodes if node.kind == "global"}
    assert {"first", "last"} <= names
    shown = heapstory("graph", path, "--root", "first", "--data").stdout
    assert "minutes" in shown
    assert "(stale)" in shown
    picture = heapstory("graph", path, "--type", "song", "--evolution", "--format", "svg")
    assert picture.returncode == 0
    assert "stroke-dasharray" in picture.stdout


def test_sources_travel_with_the_trace(compile_program: Compile, record: Record) -> None:
    program = compile_program("trace/figure1")
    trace = api.open(record(program))
    place = heap_nodes(trace, "figure1.c")[0].created.place
    assert place is not None
    text = trace.source(place.path or "")
    assert text is not None
    assert text.splitlines()[10].strip() == "node = malloc(sizeof *node);"
    bare = api.open(record(program, options=("--no-source",)))
    assert bare.source(place.path or "") is None


def test_a_stripped_program_still_records(compile_program: Compile, record: Record) -> None:
    program = compile_program("trace/figure1", "-O0", "-s")
    trace = api.open(record(program))
    nodes = [node for node in trace.graph(freed=True).nodes if node.kind == "heap"]
    assert [node.size for node in nodes] == [16, 16]
    assert Path(nodes[0].created.place.module or "").name == program.name


def test_documented_queries_run(compile_program: Compile, record: Record) -> None:
    """Every SQL example of the manual gives an answer."""
    page = (ROOT / "docs/reference/sql.md").read_text()
    examples = [part.split("```")[0] for part in page.split("```sql\n")[1:]]
    trace = api.open(record(compile_program("trace/events")))
    assert len(examples) >= 6
    for sql in examples:
        trace.query(sql)


def variable(trace: api.Trace, name: str) -> api.Node:
    """The block that a global variable points to at the end."""
    graph = trace.graph()
    holder = next(node for node in graph.nodes if node.name == name)
    found = next(edge.target for edge in graph.edges if edge.source == holder.id)
    assert found is not None
    return trace.node(found)


def test_long_stores_show_their_bytes(compile_program: Compile, record: Record) -> None:
    """Within the range that was asked for, whole or in part."""
    trace = api.open(record(compile_program("trace/ranges")))
    text = variable(trace, "text")
    table = bytes(7 * i & 255 for i in range(1000))
    for offset, size in ((0, 1000), (104, 300), (513, 99)):
        versions = trace.history(address=text.address + offset, size=size).versions
        filled, copied = ({}, {})
        for version in versions:
            part = filled if version.kind == "fill" else copied
            data = version.data
            if data is None:
                assert version.value is not None
                data = version.value.to_bytes(version.size, "little")
            assert len(data) == version.size
            part |= {version.address + i: byte for i, byte in enumerate(data)}
        asked = range(text.address + offset, text.address + offset + size)
        assert bytes(filled[byte] for byte in asked) == b"\x5a" * size
        assert bytes(copied[byte] for byte in asked) == table[offset : offset + size]
        long = [version for version in versions if version.data is not None]
        assert all(v.address in asked and v.address + v.size - 1 in asked for v in long)
        assert any(version.size > 8 for version in long)


def test_a_block_holds_nothing_of_the_one_before(compile_program: Compile, record: Record) -> None:
    trace = api.open(record(compile_program("trace/ranges")))
    again = variable(trace, "again")
    held = {e.offset: e.value for e in trace.graph().data() if e.source == again.id}
    assert held == {8 * i: i + 1 for i in range(8)}
    assert held == {e.offset: e.value for e in trace.fields(again.id)}


def test_numbers_of_sql_may_be_negative(compile_program: Compile, record: Record) -> None:
    trace = api.open(record(compile_program("trace/ranges")))
    rows = trace.query("SELECT min(created - freed), max(address) FROM nodes WHERE kind = 'heap'")
    assert rows[0][0] < 0 < rows[0][1]


def test_edges_are_written_by_the_core_as_they_are(
    compile_program: Compile, record: Record, heapstory: Heapstory
) -> None:
    """`graph --json` writes from columns what the API gives as objects."""
    story = record(compile_program("trace/figure1"))
    trace = api.open(story)
    for options, edges in (([], trace.graph().edges), (["--data"], trace.graph().data())):
        written = json.loads(heapstory("graph", story, "--json", *options).stdout)["edges"]
        assert [(e["from"]["node"], e["from"]["offset"], e["value"]) for e in written] == [
            (e.source, e.offset, f"{e.value:#x}") for e in edges
        ]
        for text, edge in zip(written, edges, strict=True):
            to = None
            if edge.target is not None:
                to = {"node": edge.target, "offset": edge.target_offset}
            assert (text["to"], text["ts"], text["size"]) == (to, edge.timestamp, edge.size)
            assert (text["field"], text["state"]) == (edge.field, edge.state)
            assert text["place"] == (edge.place.as_json() if edge.place else None)
            assert text["current"] is True


SHRUNK = r"""
#include <stdlib.h>
long *block;
int main(void) {
    block = malloc(320);
    block[0] = 1;
    block[7] = 2;
    block = realloc(block, 40);
    block = realloc(block, 136);
    return 0;
}
"""


def test_what_a_reallocation_cut_off_is_not_there_when_it_grows_again(
    compile_program: Compile, record: Record
) -> None:
    with api.open(record(compile_program(SHRUNK))) as trace:
        rows = trace.query("SELECT node, address FROM nodes WHERE size = 136 ORDER BY node")
        ((node, address),) = list(rows)
        assert trace.value(address, 8) == (1).to_bytes(8, "little")
        assert trace.value(address + 56, 8) is None
        assert [field.offset for field in trace.fields(node)] == [0]
        shown = [edge.offset for edge in trace.graph().data() if edge.source == node]
        assert shown == [0]


@pytest.mark.parametrize("mode", ["alloc", "portable", "internals"])
def test_the_text_of_nodes_says_what_the_objects_say(
    compile_program: Compile, record: Record, mode: str
) -> None:
    trace = api.open(record(compile_program("trace/figure1"), options=("--mode", mode)))
    for at in (trace.last, trace.last // 2):
        for graph in (trace.graph(at), trace.graph(at, freed=True), trace.graph(at).connected()):
            written = json.loads("".join(reporter.graph(graph, [])))["nodes"]
            assert written == [_members(node) for node in graph.nodes]


def _members(node: Node) -> dict[str, Any]:
    def change(of: Change | None) -> dict[str, Any] | None:
        return of and {"ts": of.timestamp, "place": of.place.as_json() if of.place else None}

    same = ("id", "kind", "size", "type", "cluster", "source", "name", "label", "lost")
    return {
        **{name: getattr(node, name) for name in same},
        "address": f"{node.address:#x}",
        "created": change(node.created),
        "freed": change(node.freed),
    }


def test_types_found_by_pointers_are_the_same_in_sql(
    compile_program: Compile, record: Record
) -> None:
    trace = api.open(record(compile_program(HIDDEN, "-O2")))
    shown = {node.id: node.type for node in trace.graph().nodes if node.kind == "heap"}
    told = dict(trace.query("SELECT node, type FROM nodes WHERE kind = 'heap' AND freed IS NULL"))
    assert told == shown
    assert "struct item" in shown.values()


# The second block goes where no type tells of it; the function returns the first.
TWO_BLOCKS = """
#include <stdint.h>
#include <stdlib.h>
struct tree { void *root; };
uintptr_t number;
static __attribute__((noinline)) struct tree *tree_new(void) {
    struct tree *tree = malloc(sizeof *tree);
    number = (uintptr_t)malloc(40);
    tree->root = (void *)number;
    return tree;
}
int main(void) {
    struct tree *tree = tree_new();
    return tree->root == NULL;
}
"""


@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_a_block_is_not_what_its_function_returns(
    compile_program: Compile, record: Record, level: str
) -> None:
    trace = api.open(record(compile_program(TWO_BLOCKS, level)))
    types = {node.size: node.type for node in heap_nodes(trace, "program.c")}
    assert types == {8: "struct tree", 40: None}


SILENT = """
#include <stdlib.h>
#include <string.h>
struct pair { int first, second; char text[16]; long *where; };
int main(void) {
    struct pair *pair = calloc(1, sizeof *pair);
    long *number = malloc(sizeof *number);
    for (int i = 0; i < 300; i++) {
        pair->first = i / 20;
        pair->second = i / 7 % 3;
        if (i % 11 == 0) memset(pair->text, i / 50, sizeof pair->text);
        pair->text[3] = i / 30;
        pair->where = i % 90 < 60 ? number : NULL;
        *number = i / 100;
    }
    free(pair);
    return *number == 2 ? 0 : 1;
}
"""


def test_the_last_store_that_changed_nothing(compile_program: Compile, record: Record) -> None:
    """Against the table of all events."""
    trace = api.open(record(compile_program(SILENT)))
    stores = trace.query(
        "SELECT timestamp, address, size, site FROM events WHERE silent AND site IS NOT NULL "
        "ORDER BY event"
    ).rows
    addresses = sorted({address for _, address, _, _ in stores})
    found = 0
    for address in [*addresses, *(address + 2 for address in addresses)]:
        times = [time for time, _, _, _ in stores]
        for since, until in [(0, trace.last), (times[0], times[len(times) // 2]), (7, 8)]:
            touching = [
                (time, site)
                for time, at, size, site in stores
                if at <= address < at + size and since <= time <= until
            ]
            last = trace.core.last_silent(address, since, until)
            assert (last is None) is (not touching)
            if last is not None:  # the words of a wide store have sites of their own
                assert last[0] == touching[-1][0]
                assert trace.place(last[1]) == trace.place(touching[-1][1])
            found += last is not None
    assert found > 10
