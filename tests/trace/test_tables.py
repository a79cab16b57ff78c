"""Columns and rows of the SQL tables that say by whom, and between which changes."""

from __future__ import annotations

from pathlib import Path

import heapstory as api
from tests.conftest import Compile, Record

PAIRS = """
#include <stdlib.h>
struct thing { long value; };
int main() {
    thing *one = new thing;
    thing *many = new thing[3];
    void *plain = malloc(40);
    void *zeroed = calloc(2, 24);
    void *aligned = aligned_alloc(64, 128);
    plain = realloc(plain, 4000);
    delete one;
    delete[] many;
    free(plain);
    free(zeroed);
    free(aligned);
    return 0;
}
"""

MOMENTS = """
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
void *kept;
static void handler(int number) { (void)number; }
static void *run(void *unused) { kept = malloc(24); return unused; }
int main(void) {
    pthread_t thread;
    signal(SIGUSR1, handler);
    raise(SIGUSR1);
    pthread_create(&thread, NULL, run, NULL);
    pthread_join(thread, NULL);
    execl("/bin/true", "true", (char *)NULL);
    return 1;
}
"""


def own(trace: api.Trace, sql: str) -> list[tuple[object, ...]]:
    """The answer, of the blocks that the program's own source allocated."""
    return list(
        trace.query(
            f"{sql} JOIN sites s ON s.site = n.created_site WHERE s.file = 'program.c'"
            " ORDER BY n.node"
        )
    )


def test_who_gave_a_block_out_and_who_took_it_back(
    compile_program: Compile, record: Record
) -> None:
    trace = api.open(record(compile_program(PAIRS, compiler="g++")))
    rows = own(trace, "SELECT allocator, deallocator FROM nodes n JOIN frees f USING (node)")
    assert rows == [
        ("new", "delete"),
        ("new[]", "delete[]"),
        ("malloc", "realloc"),
        ("calloc", "free"),
        ("memalign", "free"),
        ("realloc", "free"),
    ]


def test_discovered_blocks_say_how_they_were_found(
    compile_program: Compile, record: Record
) -> None:
    program = compile_program(PAIRS, compiler="g++")
    trace = api.open(record(program, options=("--mode", "portable")))
    rows = trace.query("SELECT DISTINCT allocator FROM nodes WHERE kind = 'heap' AND size > 0")
    known = {"returned", "kept", "seen", "stored"}
    assert rows.rows
    assert {name for (name,) in rows} <= known
    (globals_with,) = trace.query("SELECT count(allocator) FROM nodes WHERE kind = 'global'")
    assert globals_with == (0,)


def moments(path: Path) -> list[tuple[object, ...]]:
    kinds = "'signal', 'exec', 'thread-end', 'begin', 'end', 'exit'"
    sql = f"SELECT kind, name, thread FROM cpoints WHERE kind IN ({kinds}) ORDER BY ALL"
    return list(api.open(path).query(sql))


def test_what_happens_between_changes_is_in_cpoints(
    compile_program: Compile, record: Record
) -> None:
    found = moments(record(compile_program(MOMENTS, "-O0", "-pthread")))
    assert ("signal", "SIGUSR1", 1) in found
    assert ("thread-end", None, 2) in found
    assert ("exec", "/bin/true", 1) in found
    assert not [row for row in found if row[0] == "exit"]


def test_a_section_begins_and_ends(compile_program: Compile, record: Record) -> None:
    program = compile_program(MOMENTS, "-O0", "-pthread")
    found = moments(record(program, options=("--from", "handler", "--until", "run")))
    assert [row[0] for row in found if row[0] in ("begin", "end")] == ["begin", "end"]
