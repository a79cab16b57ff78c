"""Small faulty programs through the command. A faulty statement is marked in its source; compiled
with FAULT=0 the same program is correct and must give nothing."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Compile, Heapstory, Record
from tests.support.programs import program as source

# At which place of the answer the statement must be at the latest, and the program's status.
FAULTY = {"avl": (1, 0), "early_free": (1, 0), "wild": (1, 139), "ring": (4, 0), "owner": (1, 0)}


def marked(name: str, mark: str = "faulty") -> int:
    """The line of a program that carries a comment."""
    lines = source(f"locating/{name}.c").read_text().splitlines()
    return next(n for n, line in enumerate(lines, 1) if f"/* {mark} */" in line)


def spec(name: str) -> Path:
    return source(f"locating/{name}.spec")


@pytest.fixture
def recorded(compile_program: Compile, record: Record) -> Any:
    """``recorded("avl", fault=True)``"""

    def run(name: str, fault: bool = True, **options: Any) -> Path:
        program = compile_program(f"locating/{name}", "-O0", f"-DFAULT={int(fault)}")
        return record(program, **options)

    return run


def lines(answer: dict[str, Any]) -> list[int]:
    return [place["line"] for place in answer["statements"]]


@pytest.mark.parametrize("name", FAULTY)
def test_the_faulty_statement_is_found(name: str, recorded: Any, heapstory: Heapstory) -> None:
    rank, status = FAULTY[name]
    done = heapstory("locate", recorded(name, status=status), "--spec", spec(name), "--json")
    assert done.returncode == 1, done.stderr
    answer = json.loads(done.stdout)
    assert answer["schema"] == "heapstory.locate/1"
    assert marked(name) in lines(answer)[:rank], answer["faults"]
    assert {place["file"] for place in answer["statements"]} == {f"{name}.c"}
    assert answer["inconsistencies"] and answer["seconds"] > 0
    constraints = {item["name"] for item in answer["constraints"]}
    for fault in answer["faults"]:
        assert fault["constraint"] in constraints and fault["operation"]
        assert answer["clean"] is None or answer["clean"]["ts"] < fault["ts"] <= answer["bad"]["ts"]


@pytest.mark.parametrize("name", FAULTY)
@pytest.mark.parametrize("cpoint", [[], ["--cpoint", "end"]])
def test_the_correct_program_gives_nothing(
    name: str, cpoint: list[str], recorded: Any, heapstory: Heapstory
) -> None:
    done = heapstory("locate", recorded(name, fault=False), "--spec", spec(name), *cpoint)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "held" in done.stdout


@pytest.mark.parametrize("name", FAULTY)
def test_the_end_alone_leads_there_too(name: str, recorded: Any, heapstory: Heapstory) -> None:
    trace = recorded(name, status=FAULTY[name][1])
    done = heapstory("locate", trace, "--spec", spec(name), "--cpoint", "end", "--json")
    assert marked(name) in lines(json.loads(done.stdout))


def test_calls_of_a_function_by_itself_are_one_operation(
    recorded: Any, heapstory: Heapstory
) -> None:
    """What an inner call leaves wrong and an outer one fixes was temporary."""
    done = heapstory("locate", recorded("recursion", fault=False), "--spec", spec("recursion"))
    assert done.returncode == 0, done.stdout + done.stderr
    done = heapstory("locate", recorded("recursion"), "--spec", spec("recursion"), "--json")
    assert lines(json.loads(done.stdout))[0] == marked("recursion")


# Figures 4.1 to 4.4.


def quad_nodes(heapstory: Heapstory, trace: Path) -> dict[int, str]:
    """The nodes as the figures call them: n1 is the root, then in order of birth."""
    sql = "SELECT node FROM nodes WHERE type = 'struct qdtree' ORDER BY node"
    rows = heapstory("query", trace, "--format", "csv", sql).stdout.split()[1:]
    return {int(node): f"n{number}" for number, node in enumerate(rows, 1)}


def edges(answer: dict[str, Any], names: dict[int, str]) -> set[str]:
    assert {item["constraint"] for item in answer["inconsistencies"]} == {"c3"}
    return {"→".join(names[n] for n in item["nodes"]) for item in answer["inconsistencies"]}


def test_the_quad_tree_of_chapter_4(recorded: Any, heapstory: Heapstory) -> None:
    """S4 as printed, and exactly the one faulty statement."""
    trace = recorded("quad")
    done = heapstory("locate", trace, "--spec", spec("quad"), "--json")
    answer = json.loads(done.stdout)
    assert edges(answer, quad_nodes(heapstory, trace)) == {"n1→n3", "n1→n4", "n1→n5"}
    assert lines(answer) == [marked("quad")]


@pytest.mark.parametrize(
    ("mark", "expected"),
    [
        ("point 1", {"n5→n6", "n5→n7"}),
        ("point 2", {"n5→n6", "n5→n7", "n5→n8"}),
        ("point 3", {"n5→n6", "n5→n7", "n5→n8", "n1→n3", "n1→n4", "n1→n5"}),
    ],
)
def test_the_sets_on_the_way(
    mark: str, expected: set[str], recorded: Any, heapstory: Heapstory
) -> None:
    """S1 to S3, by C-points in the middle of the operation that breaks the tree."""
    line = f"quad.c:{marked('quad', mark)}"
    trace = recorded("quad", options=("--cpoint", line))
    done = heapstory("locate", trace, "--spec", spec("quad"), "--cpoint", line, "--json")
    answer = json.loads(done.stdout)
    assert answer["bad"]["kind"] == "line"
    assert edges(answer, quad_nodes(heapstory, trace)) == expected


# What can go wrong.


def test_a_line_without_an_event_names_the_command_to_record_again(
    recorded: Any, heapstory: Heapstory
) -> None:
    trace = recorded("ring", fault=False)
    done = heapstory("locate", trace, "--spec", spec("ring"), "--cpoint", "ring.c:2")
    assert done.returncode == 2 and done.stdout == ""
    command = re.search(r"record again: (.*)\)", done.stderr)
    assert command and shlex.split(command[1])[:4] == [
        "heapstory",
        "record",
        "--cpoint",
        "ring.c:2",
    ]


def test_a_recorded_line_is_a_cpoint(recorded: Any, heapstory: Heapstory) -> None:
    line = f"ring.c:{marked('ring')}"
    trace = recorded("ring", options=("--cpoint", line))
    done = heapstory("locate", trace, "--spec", spec("ring"), "--cpoint", line, "--json")
    answer = json.loads(done.stdout)
    assert answer["bad"]["kind"] == "line"
    assert answer["bad"]["ts"] < max(fault["ts"] for fault in answer["faults"]) + 100


@pytest.mark.parametrize(
    ("words", "status", "says"),
    [
        ((), 2, "--spec"),
        (("--spec", "no such"), 2, "no such"),
        (("--spec", "SPEC", "--cpoint", "crash"), 2, "did not crash"),
        (("--spec", "SPEC", "--site", "link"), 2, "TYPE=FILE:LINE"),
        (("--spec", "SPEC", "--cpoint", "nowhere"), 4, "never called"),
    ],
)
def test_bad_requests_are_one_line(
    words: tuple[str, ...], status: int, says: str, recorded: Any, heapstory: Heapstory
) -> None:
    given = [str(spec("ring")) if word == "SPEC" else word for word in words]
    done = heapstory("locate", recorded("ring", fault=False), *given)
    assert done.returncode == status
    assert says in done.stderr and len(done.stderr.splitlines()) == 1


def test_functions_as_cpoints(recorded: Any, heapstory: Heapstory) -> None:
    trace = recorded("ring")
    for cpoint in ("insert_after", "insert_after:exit"):
        done = heapstory("locate", trace, "--spec", spec("ring"), "--cpoint", cpoint, "--json")
        answer = json.loads(done.stdout)
        assert answer["bad"]["kind"] == "exit" and answer["bad"]["function"] == "insert_after"
    done = heapstory(
        "locate", trace, "--spec", spec("ring"), "--cpoint", "insert_after:entry", "--json"
    )
    assert json.loads(done.stdout)["bad"]["kind"] == "entry"


@pytest.mark.parametrize("form", ["text", "json", "sarif", "html", "dot"])
def test_every_format(form: str, recorded: Any, heapstory: Heapstory) -> None:
    done = heapstory("locate", recorded("avl"), "--spec", spec("avl"), "--format", form)
    assert done.returncode == 1, done.stderr
    line = marked("avl")
    if form == "sarif":
        results = json.loads(done.stdout)["runs"][0]["results"]
        regions = [r["locations"][0]["physicalLocation"]["region"]["startLine"] for r in results]
        assert line in regions
    elif form == "html":
        assert done.stdout.count("<svg") >= 2 and "<script" not in done.stdout
    elif form == "dot":
        assert done.stdout.count("digraph") >= 2
    else:
        assert str(line) in done.stdout


def test_one_statement_and_how_many_more_there_are(recorded: Any, heapstory: Heapstory) -> None:
    asked = ("locate", recorded("ring"), "--spec", spec("ring"), "--statements", "1")
    answer = json.loads(heapstory(*asked, "--json").stdout)
    assert len(answer["statements"]) == 1 and answer["statements_cut"] > 0
    text = heapstory(*asked).stdout
    assert "\n1 statement to look at" in text and "if it is none of these" in text


def test_explain_needs_no_trace(heapstory: Heapstory) -> None:
    done = heapstory("locate", "--explain", spec("avl"))
    assert done.returncode == 0 and "X.height is H of X" in done.stdout
