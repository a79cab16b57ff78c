"""Structures in variables: each one is a node of its own, as it would be on the heap."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Compile, Heapstory, Record
from tests.support.programs import program

LIST = """\
node { key!; next*!; prev^!; }
list { head*!; tail^!; n!; }
dlist(next, prev, list.head, list.tail);
list L;
L.n == COUNT(L.head, *);
"""
HOLDERS = {
    "array": ("list lists[4]", "lists[i]"),
    "nested": ("struct { int n; list l[4]; int m; } lists", "lists.l[i]"),
    "two dimensions": ("list lists[2][2]", "lists[(i) / 2][(i) % 2]"),
    "structures of several": (
        "struct { int n; list a, b; } lists[2]",
        "*((i) % 2 ? &lists[(i) / 2].b : &lists[(i) / 2].a)",
    ),
}


def located(
    holder: str, spec: str, folder: Path, compile_program: Compile, heapstory: Heapstory, *more: str
) -> tuple[int, dict[str, Any]]:
    declared, element = HOLDERS[holder]
    lists = f"-DHOLDER=static {declared}", f"-DLIST(i)={element}"
    built = compile_program("locating/variables", "-O0", "-pthread", *lists, *more)
    (folder / "own.spec").write_text(spec)
    heapstory("record", "-o", folder / "t.story", "--", built, check=True)
    done = heapstory("locate", folder / "t.story", "--spec", folder / "own.spec", "--json")
    return done.returncode, json.loads(done.stdout)


@pytest.mark.parametrize("root", ["", "root: node from lists;\n"])
@pytest.mark.parametrize("holder", HOLDERS)
def test_elements_are_structures_of_their_own(
    holder: str, root: str, tmp_path: Path, compile_program: Compile, heapstory: Heapstory
) -> None:
    status, answer = located(holder, LIST + root, tmp_path, compile_program, heapstory)
    assert status == 0, answer["inconsistencies"]
    assert answer["types"] == {"node": 48, "list": 4}


@pytest.mark.parametrize("holder", HOLDERS)
def test_a_fault_in_one_of_them_is_seen(
    holder: str, tmp_path: Path, compile_program: Compile, heapstory: Heapstory
) -> None:
    status, answer = located(holder, LIST, tmp_path, compile_program, heapstory, "-DFAULT=204")
    assert status == 1
    assert answer["bad"]["function"] == "list_remove"
    assert any(one["function"] == "list_remove" for one in answer["statements"])


def test_roots_in_records_that_are_not_declared(
    tmp_path: Path, compile_program: Compile, heapstory: Heapstory
) -> None:
    """Each element of the array begins a structure."""
    spec = "node { key!; next*!; prev^!; }\nroot: node from lists;\ndlist(next, prev);\n"
    status, answer = located("array", spec, tmp_path, compile_program, heapstory)
    assert status == 0, answer["inconsistencies"]
    assert answer["types"] == {"node": 48}


OWNERS = {
    "array with its length": ("box::list *all = new box::list[4]", "all[i]"),
    "unique array": ("auto all = std::make_unique<box::list[]>(4)", "all[i]"),
    "unique pointers": (
        "std::vector<std::unique_ptr<box::list>> all; "
        "for (int i = 0; i < 4; i++) all.push_back(std::make_unique<box::list>())",
        "*all[i]",
    ),
}


@pytest.mark.parametrize("owner", OWNERS)
@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_lists_that_a_container_of_cpp_owns(
    level: str, owner: str, tmp_path: Path, record: Record, heapstory: Heapstory
) -> None:
    """An array of objects that have destructors begins with its length; optimised code knows one
    instruction under several sites."""
    (tmp_path / "own.spec").write_text(LIST.replace("list {", 'list is "box::list" {'))
    for fault, status in ((), 0), (("-DFAULT=204",), 1):
        make, element = OWNERS[owner]
        built = tmp_path / f"owned{status}"
        flags = level, f"-DMAKE={make}", f"-DLIST(i)={element}", *fault
        source = program("locating/owned_lists.cpp")
        subprocess.run(["g++", "-g", *flags, source, "-o", built], check=True)
        done = heapstory("locate", record(built), "--spec", tmp_path / "own.spec", "--json")
        answer = json.loads(done.stdout)
        assert (done.returncode, answer["types"]) == (status, {"node": 48, "list": 4})
