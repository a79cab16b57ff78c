"""Small programs with the expected answer beside them in tests/programs."""

from __future__ import annotations

import json
from pathlib import Path

import heapstory as api
from heapstory.graph.evolution import evolution
from tests.conftest import PROGRAMS, Compile, Heapstory, Record


def expected(name: str) -> dict[str, object]:
    answer: dict[str, object] = json.loads((PROGRAMS / f"{name}.json").read_text())
    return answer


def heap_nodes(trace: api.Trace, source: str) -> list[api.Node]:
    """The blocks that a program's own statements allocated, dead or alive."""
    nodes = trace.graph(freed=True).nodes
    return [n for n in nodes if n.kind == "heap" and n.created.place.file == source]


def test_figure_1_of_the_paper(compile_program: Compile, record: Record) -> None:
    """Nodes and edges carry the paper's timestamps (counted from the first) and statements."""
    trace = api.open(record(compile_program("figure1")))
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
    trace = api.open(record(compile_program("figure1")))
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
    trace = api.open(record(compile_program("events", "-O0", "-Wl,-z,now")))
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
    source = (PROGRAMS.parent.parent / "examples/playlist.c").read_text()
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
    program = compile_program("figure1")
    trace = api.open(record(program))
    place = heap_nodes(trace, "figure1.c")[0].created.place
    assert place is not None
    text = trace.source(place.path or "")
    assert text is not None
    assert text.splitlines()[10].strip() == "node = malloc(sizeof *node);"
    bare = api.open(record(program, options=("--no-source",)))
    assert bare.source(place.path or "") is None


def test_a_stripped_program_still_records(compile_program: Compile, record: Record) -> None:
    program = compile_program("figure1", "-O0", "-s")
    trace = api.open(record(program))
    nodes = [node for node in trace.graph(freed=True).nodes if node.kind == "heap"]
    assert [node.size for node in nodes] == [16, 16]
    assert Path(nodes[0].created.place.module or "").name == program.name


def test_documented_queries_run(compile_program: Compile, record: Record) -> None:
    """Every SQL example of the manual gives an answer."""
    page = (PROGRAMS.parent.parent / "docs/reference/sql.md").read_text()
    examples = [part.split("```")[0] for part in page.split("```sql\n")[1:]]
    trace = api.open(record(compile_program("events")))
    assert len(examples) >= 6
    for sql in examples:
        trace.query(sql)
