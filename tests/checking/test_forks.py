"""Forked children, and what they become by exec."""

from __future__ import annotations

from pathlib import Path

from tests.checking.checking import Check, line_of
from tests.conftest import Compile
from tests.support.programs import program

SOURCE = program("checking/forks.c")
FOLLOWED = ("--follow-children",)
OF_THE_CHILD = ("over the child's", "over the parent's", "freed by the parent", "after exec")


def test_children_are_left_alone_unless_asked_for(compile_program: Compile, check: Check) -> None:
    answer = check(compile_program("checking/forks"))
    assert {error["place"]["line"] for error in answer["errors"]} == {
        line_of(SOURCE, "the parent's own")
    }
    assert (answer["printed"], answer["returned"]) == ("5\n", 0)
    assert "forked children" in answer["summary"]["not_checked"]


def test_errors_of_children(compile_program: Compile, check: Check) -> None:
    answer = check(compile_program("checking/forks"), options=FOLLOWED)
    assert (answer["printed"], answer["returned"]) == ("5\n", 0)
    errors = {error["place"]["line"]: error for error in answer["errors"]}
    assert set(errors) == {
        line_of(SOURCE, remark) for remark in (*OF_THE_CHILD, "the parent's own")
    }
    parent = errors[line_of(SOURCE, "the parent's own")]["process"]
    children = {errors[line_of(SOURCE, remark)]["process"] for remark in OF_THE_CHILD}
    assert len(children) == 1 and parent not in children
    assert "forked children" in answer["summary"]["checked"]


def test_blocks_of_before_the_fork_have_their_stacks(
    compile_program: Compile, check: Check
) -> None:
    answer = check(compile_program("checking/forks"), options=FOLLOWED)
    errors = {error["place"]["line"]: error for error in answer["errors"]}
    inherited = errors[line_of(SOURCE, "over the parent's")]["block"]
    assert inherited["allocated"][0]["line"] == line_of(SOURCE, "made by the parent")
    assert inherited["freed"] is None
    kept = errors[line_of(SOURCE, "freed by the parent")]
    assert kept["block"]["allocated"][0]["line"] == line_of(SOURCE, "kept too long")
    assert kept["block"]["freed"][0]["line"] == line_of(SOURCE, "the parent frees")
    assert "3 bytes inside a freed block of 20 bytes" in kept["text"]


def test_leaks_of_children(compile_program: Compile, check: Check, tmp_path: Path) -> None:
    text = SOURCE.read_text().replace('execl(program, program, "end", NULL);', "")
    built = compile_program(text)
    for options in (FOLLOWED, (*FOLLOWED, "--record", str(tmp_path / "t.story"))):
        leaks = [leak for leak in check(built, options=options)["leaks"] if leak["kind"] == "leak"]
        assert [(leak["bytes"], leak["blocks"]) for leak in leaks] == [(77, 1)]
