"""What a specification names and a trace has not is never said to have held."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest

from tests.conftest import Compile, Heapstory, Record
from tests.support.programs import program

PROGRAM = r"""
#include <stdlib.h>
struct node { int key; struct node *next; };
struct other { long a, b, c; struct other *next; };
struct other *others;
struct node *head;
static void push(int key) {
    struct node *node = malloc(sizeof *node);
    node->key = key;
    node->next = head;
    head = node;
}
static void insert(int key) {
    struct node *node = malloc(sizeof *node);
    node->key = key;
    node->next = head->next;
    head->next = node;
}
int main(void) {
    for (int i = 0; i < 5; ++i)
        push(i);
    for (int i = 0; i < 5; ++i)
        insert(i);
    return others != NULL;
}
"""


@pytest.fixture
def trace(compile_program: Compile, record: Record) -> Path:
    return record(compile_program(PROGRAM, "-O0"))


def specification(folder: Path, text: str) -> Path:
    (folder / "list.spec").write_text(text)
    return folder / "list.spec"


def test_a_type_without_nodes(trace: Path, heapstory: Heapstory, tmp_path: Path) -> None:
    spec = specification(tmp_path, "node { next*; } other { next*; } list(node.next);")
    done = heapstory("locate", trace, "--spec", spec)
    assert done.returncode == 4 and "held" not in done.stdout
    assert "not checked: there is no other in the trace" in done.stderr
    answer = json.loads(heapstory("locate", trace, "--spec", spec, "--json").stdout)
    assert answer["bad"] is None and len(answer["unmatched"]) == 1


def test_a_cpoint_that_never_was(trace: Path, heapstory: Heapstory, tmp_path: Path) -> None:
    spec = specification(tmp_path, "node { next*; } list(next);")
    done = heapstory("locate", trace, "--spec", spec, "--cpoint", "remove_all")
    assert done.returncode == 4 and "held" not in done.stdout
    assert "not checked: no exit of remove_all" in done.stderr
    assert heapstory("locate", trace, "--spec", spec, "--cpoint", "push").returncode == 0


def line_of(text: str) -> int:
    return PROGRAM[: PROGRAM.index(text)].count("\n") + 1


def test_several_sites_of_one_type(trace: Path, heapstory: Heapstory, tmp_path: Path) -> None:
    spec = specification(tmp_path, "item { next*; } list(next);")
    pushed, inserted = (line_of(f"static void {name}") + 1 for name in ("push", "insert"))
    sites = [f"--site=item=program.c:{line}" for line in (pushed, inserted)]
    one = heapstory("locate", trace, "--spec", spec, sites[0], "--json")
    both = heapstory("locate", trace, "--spec", spec, *sites, "--json")
    assert json.loads(one.stdout)["nodes"] == 5
    assert json.loads(both.stdout)["nodes"] == 10


def test_sites_of_a_stripped_program(
    compile_program: Compile, record: Record, heapstory: Heapstory, tmp_path: Path
) -> None:
    stripped = tmp_path / "stripped"
    built = compile_program(PROGRAM, "-O0")
    subprocess.run(["strip", "-o", stripped, built], check=True)
    code = subprocess.run(["objdump", "-d", built], check=True, capture_output=True, text=True)
    calls = re.findall(r"^ *([0-9a-f]+):.*call.*<malloc@plt>", code.stdout, re.MULTILINE)
    assert len(calls) == 2
    spec = specification(tmp_path, "node FIELD 2 EDGE 1; node X; X.INDEGREE <= 1;")
    sites = [f"--site=node=stripped+0x{call}" for call in calls]
    done = heapstory("locate", record(stripped), "--spec", spec, *sites, "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    assert json.loads(done.stdout)["nodes"] == 10


@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_a_list_of_a_base_holds_what_is_derived_from_it(
    level: str, record: Record, heapstory: Heapstory, tmp_path: Path
) -> None:
    built = tmp_path / "derived"
    source = program("locating/derived.cpp")
    subprocess.run(["g++", "-g", level, source, "-o", built], check=True)
    spec = specification(tmp_path, "Shape { next*; } list(next);")
    done = heapstory("locate", record(built), "--spec", spec, "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    assert json.loads(done.stdout)["nodes"] == 10
    done = heapstory("locate", record(built, "spoilt"), "--spec", spec)
    assert done.returncode == 1, done.stdout + done.stderr


def test_a_ceiling_of_memory(trace: Path, heapstory: Heapstory, tmp_path: Path) -> None:
    spec = specification(tmp_path, "node { next*; } list(next);")
    done = heapstory("locate", trace, "--spec", spec, "--memory", "1M")
    assert done.returncode == 4 and "held" not in done.stdout
    assert "1 MiB were not enough" in done.stderr
    assert heapstory("locate", trace, "--spec", spec, "--memory", "4G").returncode == 0
    assert heapstory("locate", trace, "--spec", spec, "--memory", "much").returncode == 2


def test_roots_that_are_not_there(trace: Path, heapstory: Heapstory, tmp_path: Path) -> None:
    """Without them every node would be lost."""
    types = "node { next*; } other { next* : node; }"
    spec = specification(tmp_path, f"{types} root: node from other.next; list(node.next);")
    done = heapstory("locate", trace, "--spec", spec)
    assert done.returncode == 4, done.stdout
    assert "there is no other, where the roots of node would be" in done.stderr
    assert "unknown: nothing was checked" in done.stdout and "nothing is wrong" not in done.stdout
    page = heapstory("locate", trace, "--spec", spec, "--format", "html")
    assert page.returncode == 4
    assert "not everything could be checked" in page.stdout and "held" not in page.stdout


HIDDEN = r"""
#include <stdlib.h>
#include <string.h>
struct node { long key; struct node *next; };
struct list { struct node *head; long a, b, c, d; };
static struct list *known;
static void *hidden;
static struct node *make(long key, struct node *next) {
    struct node *node = malloc(sizeof *node);
    node->key = key;
    node->next = next;
    return node;
}
static void push(struct list *list, long key) {
    list->head = make(key, list->head);
    list->a++;
}
static void *copied(const void *from, size_t size) {
    void *block = malloc(size);
    memcpy(block, from, size);
    return block;
}
int main(void) {
    known = calloc(1, sizeof *known);
    for (long i = 0; i < 3; i++)
        push(known, i);
    hidden = copied(HELD, sizeof *known);
    return 0;
}
"""


@pytest.mark.parametrize(
    ("held", "status"),
    [
        ("&(struct list){make(7, NULL), 1, 2, 3, 4}", 4),
        ('"text as long as such a list, and even longer"', 0),
        ("&(struct list *[]){known, known, known, known, known}", 0),
    ],
)
def test_a_block_that_may_be_one(
    held: str,
    status: int,
    compile_program: Compile,
    record: Record,
    heapstory: Heapstory,
    tmp_path: Path,
) -> None:
    """It has no type and the right size, and holds what such a node holds: nothing has held."""
    spec = specification(tmp_path, "node { next*; } list { head*; a; } list X; X.a >= 0;")
    built = compile_program(HIDDEN, "-O0", "-fno-builtin", f"-DHELD={held}")
    done = heapstory("locate", record(built), "--spec", spec)
    assert done.returncode == status, done.stdout
    assert ("may belong" in done.stdout) == ("held" not in done.stdout) == (status == 4)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("nod { next*; } list(next);", "1:1: nothing in the trace is a nod (did you mean 'node'?)"),
        ("node { nxt*; }", "1:8: node has no field 'nxt' (did you mean 'next'?)"),
        ("node { next*; }\nroot: node from begin;", "2:1: 'begin' is neither a type nor a global"),
    ],
)
def test_names_that_match_nothing(
    text: str, said: str, trace: Path, heapstory: Heapstory, tmp_path: Path
) -> None:
    done = heapstory("locate", trace, "--spec", specification(tmp_path, text))
    assert (done.returncode, done.stdout) == (4, "") and said in done.stderr


def test_a_crash_with_the_structure_whole(
    compile_program: Compile, heapstory: Heapstory, tmp_path: Path
) -> None:
    """It held, but the program did not end well."""
    built = compile_program(
        PROGRAM.replace("return others", "*(volatile long *)0 = 1; return others")
    )
    heapstory("record", "-o", tmp_path / "crash.story", "--", built)
    spec = specification(tmp_path, "node { next*; } list(next);")
    done = heapstory("locate", tmp_path / "crash.story", "--spec", spec)
    assert done.returncode == 0 and "held" in done.stdout
    line = line_of("return others")
    assert f"the program crashed at program.c:{line}: nothing" in done.stderr
