"""What is printed from a tree reads back as that tree; what is wrong in a text has a place."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heapstory.errors import SpecificationError
from heapstory.linear.language.resolve import resolve
from heapstory.linear.language.show import show_specification
from heapstory.linear.language.syntax import (
    Assign,
    Condition,
    Const,
    Expr,
    Field,
    Free,
    Global,
    Guard,
    Hint,
    Index,
    Local,
    Malloc,
    NoNode,
    Operation,
    OwnId,
    Read,
    Return,
    Specification,
    Statement,
    SubOperation,
    Sum,
    Table,
    Variable,
)
from heapstory.linear.program.load import load
from tests.linear.mutants import EXAMPLES
from tests.support.examples import examples

NAMED = [Const(1, "TRUE"), Const(0, "FALSE"), Const(-2, "EMPTY"), OwnId()]
STRUCTS = {
    "node": (Variable("key", "int"), Variable("next", "node"), Variable("gone", "bool", ghost=True))
}
GLOBALS = (
    Variable("total", "int", initial=Const(3)),
    Variable("past", "int", ghost=True),
    Variable("top", "node"),
    Variable("slots", "int", array=True, size=4),
    Variable("nodes", "node", array=True),
)
LOCALS = (Variable("i", "int"), Variable("p", "node"))
RELATIONS = st.sampled_from(["==", "!=", "<", "<=", ">", ">="])


@cache
def numbers() -> st.SearchStrategy[Expr]:
    leaves: st.SearchStrategy[Expr] = st.one_of(
        st.integers(-9, 9).map(Const),
        st.sampled_from([*NAMED, Global("total"), Global("past"), Local("i"), Local("n")]),
        nodes().map(lambda base: Field(base, "node", "key")),
    )
    return st.recursive(
        leaves,
        lambda inner: st.one_of(
            st.builds(Sum, st.sampled_from("+-"), inner, inner),
            inner.map(lambda index: Index("slots", index)),
        ),
        max_leaves=4,
    )


@cache
def nodes() -> st.SearchStrategy[Expr]:
    return st.recursive(
        st.sampled_from([Global("top"), Local("p")]),
        lambda inner: inner.map(lambda base: Field(base, "node", "next")),
        max_leaves=2,
    )


@cache
def conditions() -> st.SearchStrategy[Condition]:
    return st.one_of(
        st.builds(Condition, numbers(), RELATIONS, numbers()),
        st.builds(Condition, nodes(), st.sampled_from(["==", "!="]), nodes()),
    )


@cache
def guards() -> st.SearchStrategy[Guard]:
    other = Condition(Field(Local("q"), "node", "key"), "<", Local("i"))
    none = conditions().map(lambda c: NoNode("q", "node", (other, c)))
    return st.one_of(conditions(), none)


@cache
def statements() -> st.SearchStrategy[Statement]:
    places = st.sampled_from([Global("total"), Local("i"), Index("slots", Local("i"))])
    links = st.sampled_from([Global("top"), Local("p"), Index("nodes", Const(1))])
    return st.one_of(
        st.builds(Assign, places, numbers()),
        st.builds(Assign, links, nodes()),
        st.just(Malloc(Local("p"), "node")),
        st.just(Free(Local("p"))),
        st.just(Read(Field(Local("p"), "node", "next"))),
    )


@st.composite
def operations(draw: st.DrawFn, name: str) -> Operation:
    # the first step gives every local a value, so that no guard has to
    first = SubOperation(
        "", "1", (), (Assign(Local("i"), Const(0)), Assign(Local("p"), Global("top")))
    )
    steps = [first]
    for _ in range(draw(st.integers(0, 3))):
        loop = draw(st.booleans())
        guard = tuple(draw(st.lists(guards(), max_size=2)))
        body = tuple(draw(st.lists(statements(), min_size=1, max_size=3)))
        mark = "1" if loop else draw(st.sampled_from("1*"))
        steps.append(SubOperation("", mark, guard, body, loop=loop))
    answer = Return(tuple(draw(st.lists(numbers(), max_size=2))))
    steps.append(SubOperation("", "1", (), (answer,)))
    method = draw(st.sampled_from(["put", "take"]))
    return Operation(name, method, (Variable("n", "int"),), LOCALS, tuple(steps))


@st.composite
def specifications(draw: st.DrawFn) -> Specification:
    found, labels = [], 0
    for name in ("first_one", "other")[: draw(st.integers(1, 2))]:
        operation = draw(operations(name))
        steps = []
        for step in operation.steps:
            labels += 1
            label = draw(st.sampled_from([f"s{labels}", f"step{labels}"]))
            steps.append(replace(step, label=label))
        found.append(replace(operation, steps=tuple(steps)))
    label = found[0].steps[-1].label
    premise = Condition(Local("first.i"), "!=", Local("second.n"))
    tables = [Table("order", label, label, True), Table("reverse", label, label, False, (premise,))]
    fact = draw(conditions().filter(lambda c: _only_shared(c)))
    hints = [Hint(label), Hint("", (fact,)), Hint(label, (fact, fact), (fact,))]
    hints.append(
        Hint("", (Condition(Field(Local("m"), "node", "key"), ">", Const(0)),), (), ("m", "node"))
    )
    return Specification(
        "made",
        None,
        None,
        STRUCTS,
        GLOBALS,
        (Variable("f", "node"),) if draw(st.booleans()) else (),
        (Assign(Global("total"), Const(1)),) if draw(st.booleans()) else (),
        tuple(found),
        tuple(draw(st.lists(st.sampled_from(tables), max_size=2))),
        tuple(draw(st.lists(st.sampled_from(hints), max_size=3))),
    )


def _only_shared(condition: Condition) -> bool:
    return "Local" not in repr(condition)


def compared(spec: Specification) -> Specification:
    model = None if spec.model is None else compared(spec.model)
    return replace(spec, source="", path="", model=model)


@examples(40)
@given(spec=specifications())
def test_what_is_printed_reads_back(spec: Specification) -> None:
    text = show_specification(spec)
    assert compared(resolve(text, "made.lin")) == compared(spec), text


@pytest.mark.parametrize("path", sorted(EXAMPLES.rglob("*.lin")), ids=lambda p: p.stem)
def test_examples_survive_printing(path: Path) -> None:
    spec = load(path)
    assert compared(resolve(show_specification(spec), spec.path)) == compared(spec)


def test_lines_are_named_where_asked_for() -> None:
    spec = resolve("int x; f()\n  1 x = 1;\n  1 x = 2; ...b\n", "a.lin")
    shown = show_specification(spec, lines=True)
    assert "  1 x = 1;   // line 2\n  1 x = 2; ...b   // line 3\n" in shown


@pytest.mark.parametrize(
    ("text", "line", "column", "words"),
    [
        ("struct n{int v}; struct n{int w}; int x; f() 1 x = 1;", 1, 18, "'n' is declared twice"),
        ("struct n{int v, int v}; int x; f() 1 x = 1;", 1, 1, "two fields of one name"),
        ("int x;\nint x; f() 1 x = 1;", 2, 1, "'x' is declared twice"),
        ("int x; f(int a)\n int a; 1 x = a;", 2, 2, "'a' is declared twice"),
        ("int x; f()\n  1 x = malloc y;", 2, 16, "unknown type 'y'"),
        ("struct n{int v}; int x; f()\n 1 x = malloc n;", 2, 4, "cannot be stored here"),
        ("int a[]; f() 1 a = 1;", 1, 16, "needs an index"),
        ("int x; f() 1 x.v = 1;", 1, 15, "only a node has fields"),
        ("int x; f() 1 3 = x;", 1, 14, "syntax error"),
        ("int x; f() 1 TRUE = x;", 1, 14, "only a variable, a field or an array element"),
        ("int x; f() 1 x = 1; return 1; 1 return 2;", 1, 31, "returns twice"),
        (
            "struct n{int v}; int x; f() 1 < none n x : x.v == 1; > x = 1;",
            1,
            40,
            "already declared",
        ),
        ("int x; f() 1 x = 1; ...a order a, a if first.b == 1;", 1, 40, "no parameter or local"),
        ("int x; f() 1 x = 1; ...a order a, a if x == 1;", 1, 40, "a premise compares"),
        ("int x; f() 1 x = 1; hint point b;", 1, 32, "no sub-operation has the label 'b'"),
        ("int x; f() 1 < >", 1, 12, "empty sub-operation"),
    ],
)
def test_mistakes_have_a_place(text: str, line: int, column: int, words: str) -> None:
    with pytest.raises(SpecificationError) as caught:
        resolve(text, "bad.lin")
    assert words in str(caught.value)
    assert (caught.value.line, caught.value.column) == (line, column), str(caught.value)
