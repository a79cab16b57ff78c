"""What mode portable finds, against what malloc and free did in the same run."""

from __future__ import annotations

from pathlib import Path

import pytest

import heapstory as api
from tests.conftest import Compile, Heapstory
from tests.discovery.truth import compare

PERL = 'my %h; $h{$_} = "x" x $_ for 1..100; print length join ",", sort keys %h;'
COMMANDS = {"ls": ["ls", "-la", "/usr"], "perl": ["perl", "-e", PERL]}

REALLOCATIONS = r"""
#include <stdlib.h>
#include <string.h>
struct list { struct list *next; char *text; };
int main(void) {
    struct list *head = NULL;
    for (int i = 0; i < 200; i++) {
        struct list *one = malloc(sizeof *one);
        one->text = malloc(i + 1);
        memset(one->text, 'x', i + 1);
        one->text = realloc(one->text, 2 * i + 2);
        one->text[2 * i + 1] = 0;
        one->next = head;
        head = one;
        if (i % 3 == 0) {
            head = one->next;
            free(one->text);
            free(one);
        }
    }
    return head == NULL;
}
"""


def recorded(heapstory: Heapstory, folder: Path, *command: str | Path) -> api.Trace:
    trace = folder / "t.story"
    done = heapstory("record", "--mode", "portable", "--truth", "-o", trace, "--", *command)
    assert done.returncode == 0, done.stderr
    return api.open(trace)


@pytest.mark.parametrize("name", COMMANDS)
def test_real_programs(heapstory: Heapstory, tmp_path: Path, name: str) -> None:
    with recorded(heapstory, tmp_path, *COMMANDS[name]) as trace:
        found = compare(trace, moments=2)
    assert found.blocks > 100 and found.edges > 100
    shares = found.shares()
    assert shares["node recall"] >= 0.98, found
    assert shares["edge recall"] >= 0.99, found
    assert min(shares["node precision"], shares["edge precision"]) >= 0.95, found


@pytest.mark.parametrize("flags", [("-O0",), ("-O2",)])
def test_every_block_of_a_small_program(
    compile_program: Compile, heapstory: Heapstory, tmp_path: Path, flags: tuple[str, ...]
) -> None:
    program = compile_program(REALLOCATIONS, *flags)
    with recorded(heapstory, tmp_path, program) as trace:
        found = compare(trace, moments=3)
    assert found.blocks >= 600
    assert set(found.shares().values()) == {1.0}, found
