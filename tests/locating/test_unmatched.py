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
