"""Variables of a module without initial values, wherever its anonymous memory begins."""

from __future__ import annotations

import pytest

import heapstory as library
from tests.conftest import Compile, Record

# Three pages of .bss before and behind `head`; the first begins in the page that the file has.
PROGRAM = """#include <stdlib.h>
struct node { struct node *next; long value; };
long before = 1;
char low[12288];
struct node *head;
char high[12288];
int main(void) {
    head = malloc(sizeof *head);
    head->value = before;
    low[0] = low[12287] = 1;
    high[0] = high[12287] = 2;
    return 0;
}
"""


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
@pytest.mark.parametrize("flags", [("-no-pie", "-fno-pie"), ("-pie", "-fPIE")])
def test_names_beyond_the_first_page(
    compile_program: Compile, record: Record, compiler: str, flags: tuple[str, ...]
) -> None:
    program = compile_program(PROGRAM, *flags, compiler=compiler)
    with library.open(record(program)) as trace:
        graph = trace.graph().narrow(root="head", depth=1)
        assert [node.type for node in graph.nodes] == ["struct node *", "struct node"]
        rows = trace.query(
            "SELECT name, type, size FROM nodes "
            "WHERE name IN ('before', 'low', 'head', 'high') ORDER BY name"
        )
        assert list(rows) == [
            ("before", "long", 8),
            ("head", "struct node *", 8),
            ("high", "char[12288]", 12288),
            ("low", "char[12288]", 12288),
        ]
        for name, last in (("low", 1), ("high", 2)):
            (variable,) = [node for node in trace.graph().nodes if node.name == name]
            assert trace.value(variable.address, 1) == bytes([last])
            assert trace.value(variable.address + 1, 1) == b"\0"
            assert trace.value(variable.address + 12287, 1) == bytes([last])


def test_two_writable_segments_in_one_page_of_the_file(
    compile_program: Compile, record: Record
) -> None:
    """As lld makes them: the page alone does not tell which of them was mapped."""
    source = """
    #include <stdlib.h>
    int near = 1;
    int count __attribute__((section("far"))) = 3;
    int *block __attribute__((section("far")));
    int main(void) {
        block = malloc(sizeof *block);
        *block = near + count;
    }
    """
    program = compile_program(source, "-no-pie", "-Wl,--section-start=far=0x600980")
    with library.open(record(program)) as trace:
        found = {node.name: node.address for node in trace.graph().nodes if node.kind == "global"}
    assert found["count"] == 0x600980 and found["near"] < 0x600000
