"""Text of graphs with roots on the stack and with pointers to where no node ever was."""

from __future__ import annotations

from tests.conftest import Compile, Heapstory, Record

PROGRAM = """#include <stdlib.h>
struct node { struct node *next; const char *name; long value; };
struct node *volatile first;
int main(void) {
    struct node *volatile held = malloc(sizeof *held);
    first = malloc(sizeof *first);
    first->next = (struct node *)0x51;
    first->name = "constant";
    first->value = 7;
    held->next = first;
    held->name = NULL;
    held->value = 8;
    abort();
}
"""


def test_data_of_a_graph_with_roots(
    compile_program: Compile, heapstory: Heapstory, record: Record
) -> None:
    trace = record(compile_program(PROGRAM), status=134)
    answer = heapstory("graph", trace, "--data")
    assert answer.returncode == 0 and "root" in answer.stdout
    assert [line.split()[:2] for line in answer.stdout.splitlines() if "value" in line] == [
        ["value", "7"],
        ["value", "8"],
    ]


def test_wild_pointers_are_shown(
    compile_program: Compile, heapstory: Heapstory, record: Record
) -> None:
    trace = record(compile_program(PROGRAM), status=134)
    for options in ((), ("--data",), ("--format", "dot"), ("--format", "svg")):
        assert "0x51 (no node)" in heapstory("graph", trace, *options).stdout
    plain, data = heapstory("graph", trace).stdout, heapstory("graph", trace, "--data").stdout
    assert plain.count("(no node)") == 1  # the constant's name leads to a text, not to a structure
    assert data.count("(no node)") == 2
