"""Inference: good runs in, a specification out that knows a bad run when it sees one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from heapstory import constraints
from heapstory.constraints.language.reading import parse
from tests.conftest import Compile, Heapstory


@pytest.fixture(scope="module")
def traces(
    tmp_path_factory: pytest.TempPathFactory, compile_program: Compile, heapstory: Heapstory
) -> dict[str, Path]:
    """Runs of the sorted list by name: two good ones and one for each fault."""
    folder, program = tmp_path_factory.mktemp("infer"), compile_program("inference/sorted_list")
    found = {}
    for name, arguments in {
        "good": ["1", "0"],
        "other": ["2", "0"],
        "third": ["7", "0"],
        "fault1": ["3", "1"],
        "fault2": ["3", "2"],
        "fault3": ["3", "3"],
    }.items():
        found[name] = folder / f"{name}.story"
        done = heapstory("record", "-o", found[name], "--", program, *arguments)
        assert done.returncode == 0, done.stderr
    return found


@pytest.fixture(scope="module")
def specification(traces: dict[str, Path], heapstory: Heapstory) -> Path:
    path = traces["good"].with_name("inferred.spec")
    done = heapstory("infer", traces["good"], traces["other"], "-o", path)
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    return path


def test_what_is_learnt(specification: Path) -> None:
    text = specification.read_text()
    for line in (
        "node { key!; next*!; prev^!; }",
        "root: node from list.head;",
        "(node, next);",
        "=> P.key < Q.key;",
        "=> Q.prev == P;",
        "COUNT(X.head, *) == X.count;",
    ):
        assert line in text, text
    assert "# Inferred from 2 good runs: good.story, other.story." in text


def test_it_compiles_without_a_trace_and_nothing_in_it_is_odd(specification: Path) -> None:
    assert "warning" not in constraints.explain(parse(specification.read_text(), "inferred.spec"))


@pytest.mark.parametrize("name", ["good", "other", "third"])
def test_good_runs_pass(
    name: str, traces: dict[str, Path], specification: Path, heapstory: Heapstory
) -> None:
    done = heapstory("locate", traces[name], "--spec", specification)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("name", ["fault1", "fault2", "fault3"])
def test_bad_runs_are_found(
    name: str, traces: dict[str, Path], specification: Path, heapstory: Heapstory
) -> None:
    done = heapstory("locate", traces[name], "--spec", specification)
    assert done.returncode == 1, done.stdout + done.stderr


def test_to_stdout_and_for_some_types(traces: dict[str, Path], heapstory: Heapstory) -> None:
    done = heapstory("infer", traces["good"], "--type", "node")
    assert done.returncode == 0, done.stderr
    assert "node {" in done.stdout
    assert "list {" not in done.stdout


def test_json(traces: dict[str, Path], heapstory: Heapstory) -> None:
    done = heapstory("infer", traces["good"], "--json")
    answer = json.loads(done.stdout)
    assert answer["schema"] == "heapstory.infer/1"
    assert answer["specification"].startswith("# Inferred from 1 good run")
    order = next(c for c in answer["constraints"] if c["text"] == "P -> Q => P.key < Q.key;")
    assert order["support"] > 20
    assert not order["doubtful"]


def test_bad_input_is_told_in_one_line(traces: dict[str, Path], heapstory: Heapstory) -> None:
    done = heapstory("infer", traces["good"], "--type", "nothing")
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert "no block of that type" in done.stderr
    done = heapstory("infer", "no-such.story")
    assert done.returncode == 2
    assert "no such trace" in done.stderr
