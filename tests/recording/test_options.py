"""The options of heapstory record through the command: sections, C-points, wrappers, whose code."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

import heapstory as api
from tests.conftest import Compile, Heapstory

LIST = r"""
#include <stdio.h>
#include <stdlib.h>
struct node { int key; struct node *next; };
struct node *head;
static char pool[4096];
static size_t used;
void *pool_get(int tag, size_t size) { void *p = pool + used; used += size + 0 * tag; return p; }
void pool_put(void *p) { (void)p; }
void push(int key) {
    struct node *n = malloc(sizeof *n);
    n->key = key;
    n->next = head;
    head = n; /* pushed */
}
void drop(void) {
    struct node *n = head;
    head = n->next;
    free(n);
}
int main(void) {
    for (int i = 0; i < 3; i++)
        push(i);
    drop();
    struct node *extra = pool_get(1, sizeof *extra);
    extra->next = head; /* pooled */
    for (int i = 10; i < 13; i++)
        push(i);
    pool_put(extra);
    return 0;
}
"""


def line_of(text: str) -> int:
    return next(n for n, line in enumerate(LIST.splitlines(), 1) if text in line)


@pytest.fixture
def record(compile_program: Compile, heapstory: Heapstory, tmp_path: Path):  # type: ignore[no-untyped-def]
    """record(*options) records the list program and opens the trace."""
    program = compile_program(LIST)

    def record(*options: str) -> api.Trace:
        done = heapstory("record", "-o", tmp_path / "t.story", *options, "--", program)
        assert (done.returncode, done.stderr) == (0, "")
        return api.open(tmp_path / "t.story")

    return record


def keys(trace: api.Trace) -> list[int]:
    """The list as of the last timestamp, from its head on."""
    graph = trace.graph()
    (head,) = (node for node in graph.nodes if node.name == "head")
    found, at = [], head.address
    while pointer := int.from_bytes(trace.value(at, 8) or b"", "little"):
        found.append(int.from_bytes(trace.value(pointer, 4) or b"", "little"))
        at = pointer + 8
    return found


def test_a_section_starts_with_what_was_there(record) -> None:  # type: ignore[no-untyped-def]
    with record("--from", "drop", "--until", "pool_get") as trace:
        assert keys(trace) == [1, 0]
        functions = trace.query("SELECT name FROM cpoints WHERE kind = 'return'")
        assert list(functions) == [("drop",)]
        assert list(trace.query("SELECT count(*) FROM frees")) == [(1,)]


def test_the_third_time_and_a_number_of_changes(record) -> None:  # type: ignore[no-untyped-def]
    with record("--from", "push#3", "--for", "4") as trace:
        assert trace.last == 4
        assert keys(trace) == [2, 1, 0]


def test_cpoints_have_the_name_and_the_place_they_were_asked_for(record) -> None:  # type: ignore[no-untyped-def]
    where = f"program.c:{line_of('pooled')}"
    with record("--cpoint", "push:exit", "--cpoint", where) as trace:
        rows = trace.query(
            "SELECT name, line, function FROM cpoints JOIN sites USING (site) "
            "WHERE kind = 'cpoint' ORDER BY timestamp"
        )
    pushed = ("push:exit", line_of("pushed") + 1, "push")
    assert list(rows) == [pushed] * 3 + [(where, line_of("pooled"), "main")] + [pushed] * 3


def test_a_pool_with_known_names(record) -> None:  # type: ignore[no-untyped-def]
    with record("--alloc-fn", "pool_get:2", "--free-fn", "pool_put") as trace:
        rows = trace.query(
            "SELECT size, type, freed IS NOT NULL, line FROM nodes "
            "JOIN sites ON site = created_site WHERE function = 'main' AND kind = 'heap'"
        )
    assert list(rows) == [(16, "struct node", True, line_of("pool_get(1"))]


LIBRARY = r"""
#include <stdlib.h>
struct cell { struct cell *next; };
struct cell *cells;
void library_push(void) {
    struct cell *c = malloc(sizeof *c);
    c->next = cells;
    cells = c;
}
"""
CALLER = "void library_push(void); int main(void) { for (int i = 0; i < 3; i++) library_push(); }"


def build(output: Path, text: str, *flags: str | Path) -> None:
    command = ["gcc", "-g", "-o", output, "-x", "c", "-", *flags]
    subprocess.run(command, input=text, text=True, check=True)


@pytest.mark.parametrize("binding", ["now", "lazy"])
@pytest.mark.parametrize("own", [True, False])
def test_functions_of_own_libraries_are_entered_through_stubs(
    heapstory: Heapstory, tmp_path: Path, own: bool, binding: str
) -> None:
    """The dynamic linker's stubs are no functions: malloc's is none of the program's."""
    library, program = tmp_path / "libcells.so", tmp_path / "caller"
    build(library, LIBRARY, "-shared", "-fPIC")
    build(program, CALLER, f"-Wl,-z,{binding},-rpath,{tmp_path}", "-x", "none", library)
    options = [] if own else ["--not-own", str(library)]
    done = heapstory("record", "-o", tmp_path / "t.story", *options, "--", program)
    assert done.returncode == 0
    with api.open(tmp_path / "t.story") as trace:
        names = [name for (name,) in trace.query("SELECT name FROM cpoints WHERE kind = 'entry'")]
    entered = names.count("library_push")
    assert set(names) - {"__do_global_dtors_aux"} == ({"main", "library_push"} if own else {"main"})
    assert entered == (0 if not own else 3 if binding == "now" else 2)


def test_a_section_that_never_began_is_said(
    compile_program: Compile, heapstory: Heapstory, tmp_path: Path
) -> None:
    trace = tmp_path / "t.story"
    done = heapstory("record", "-o", trace, "--from", "nowhere", "--", compile_program(LIST))
    assert done.returncode == 0
    assert done.stderr == f"heapstory: --from nowhere was never reached, {trace} is empty\n"


def test_functions_that_were_never_called_are_said(
    compile_program: Compile, heapstory: Heapstory, tmp_path: Path
) -> None:
    options = ("--alloc-fn", "pool_gte:2", "--free-fn", "main")
    done = heapstory("record", "-o", tmp_path / "t.story", *options, "--", compile_program(LIST))
    assert done.returncode == 0
    assert done.stderr.startswith("heapstory: no call of pool_gte was seen: ")
    assert done.stderr.count("\n") == 1


def test_a_program_that_another_became_is_named(
    compile_program: Compile, heapstory: Heapstory, tmp_path: Path
) -> None:
    program = compile_program("recording/crash")
    heapstory("record", "-o", tmp_path / "t.story", "--", program, "exec")
    with api.open(tmp_path / "t.story") as first, api.open(tmp_path / "t.1.story") as second:
        assert first.info().program == [str(program), "exec"]
        assert second.info().program != first.info().program
        assert Path(second.info().program[0]).exists()
