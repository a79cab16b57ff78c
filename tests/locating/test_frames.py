"""Roots in variables of live frames."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Compile, Heapstory
from tests.support.programs import program

SPEC = program("locating/frames.spec")


def answered(
    built: Path, folder: Path, heapstory: Heapstory, *frames: str
) -> tuple[int, dict[str, Any], str]:
    trace = folder / "frames.story"
    options = [word for name in frames for word in ("--frame", name)]
    heapstory("record", "--force", *options, "-o", trace, "--", built, check=True)
    done = heapstory("locate", trace, "--spec", SPEC, "--json")
    return done.returncode, json.loads(done.stdout or "{}"), done.stderr


def test_what_variables_of_live_frames_lead_to_is_whole(
    compile_program: Compile, heapstory: Heapstory, tmp_path: Path
) -> None:
    """Every call of a function has variables of its own, and what is left when main returns is not
    lost."""
    built = compile_program("locating/frames", "-O0")
    status, answer, _ = answered(built, tmp_path, heapstory, "main", "work")
    assert status == 0, answer["inconsistencies"]
    assert answer["types"] == {"node": 6 + 2 * 3 * 4}
    ends = [point["function"] for point in answer["cpoints"] if point["kind"] == "exit"]
    assert ends.count("push") == ends.count("pop") == 24
    assert ends.count("pushed") == 6 and ends.count("popped") == 3


@pytest.mark.parametrize(("key", "function"), [(104, "popped"), (21, "pop"), (33, "pop")])
def test_a_node_that_no_frame_leads_to_is_lost(
    key: int, function: str, compile_program: Compile, heapstory: Heapstory, tmp_path: Path
) -> None:
    built = compile_program("locating/frames", "-O0", f"-DFAULT={key}")
    status, answer, _ = answered(built, tmp_path, heapstory, "main", "work")
    assert status == 1
    assert answer["bad"]["function"] == function
    assert "rooted(node)" in {one["constraint"] for one in answer["inconsistencies"]}


def test_a_variable_that_was_not_recorded_is_no_root(
    compile_program: Compile, heapstory: Heapstory, tmp_path: Path
) -> None:
    built = compile_program("locating/frames", "-O0")
    status, _, said = answered(built, tmp_path, heapstory, "main")
    assert status == 4
    assert "no pointer 'list.head' of work's frames is in the trace (record --frame work" in said
    status, _, said = answered(
        compile_program("locating/frames", "-O2"), tmp_path, heapstory, "main", "work"
    )
    assert status == 4
    assert "it may be in a register" in said


INLINED = """
#include <stdlib.h>
struct node { int key; struct node *next; };
struct list { struct node *head; };
__attribute__((noinline)) static void push(struct list *list, int key) {
    struct node *node = malloc(sizeof *node);
    node->key = key;
    node->next = list->head;
    list->head = node;
}
__attribute__((noinline)) static void pop(struct list *list) {
    struct node *first = list->head;
    list->head = first->next;
    free(first);
}
ATTRIBUTES static void work(void) {
    struct list list = {NULL};
    push(&list, 1);
    push(&list, 2);
    pop(&list);
    pop(&list);
}
static void (*volatile called)(void) = work;
int main(void) {
    work();
    called();
    return 0;
}
"""


@pytest.mark.parametrize(
    ("attributes", "status"),
    [("__attribute__((always_inline))", 4), ("__attribute__((noinline))", 0)],
)
def test_variables_of_an_inlined_call_are_not_known(
    attributes: str, status: int, compile_program: Compile, heapstory: Heapstory, tmp_path: Path
) -> None:
    """In optimised code, a variable whose address is taken lies in memory; but where the function
    was inlined there is no frame."""
    built = compile_program(INLINED, "-O2", "-w", f"-DATTRIBUTES={attributes}")
    spec = tmp_path / "inlined.spec"
    spec.write_text("node { key!; next*!; }\nroot: node from frame work.list.head;\nlist(next);\n")
    trace = tmp_path / "inlined.story"
    heapstory("record", "--frame", "work", "-o", trace, "--", built, check=True)
    done = heapstory("locate", trace, "--spec", spec)
    assert done.returncode == status, done.stdout
    assert ("work was inlined somewhere" in done.stderr) == (status == 4)


def test_frames_need_a_mode_that_knows_blocks(heapstory: Heapstory) -> None:
    for options, said in (
        (("--mode", "portable", "--frame", "main"), "--frame belongs to --mode alloc"),
        (("--from", "main", "--frame", "main"), "what a frame held before is not known"),
        (("--frame", ":"), "a function's name is missing"),
    ):
        done = heapstory("record", *options, "--", "true")
        assert done.returncode == 125 and said in done.stderr
