"""What the text of a specification is read as, and where each part stands."""

from __future__ import annotations

import pytest

from heapstory.constraints.language import syntax
from heapstory.constraints.language.reading import parse
from heapstory.errors import SpecificationError


def only(text: str) -> syntax.Statement:
    (statement,) = parse(text).statements
    return statement


def body(text: str) -> syntax.Term:
    statement = only(text)
    assert isinstance(statement, syntax.Constraint)
    return statement.body


def test_fields_and_their_marks() -> None:
    line = only(
        'node is "struct n" in list.head, table.slot { next*!: node; up^?; slot[4]; rest[]; }'
    )
    assert isinstance(line, syntax.TypeLine)
    assert (line.name, line.native, line.holders) == (
        "node",
        "struct n",
        ("list.head", "table.slot"),
    )
    found = [(f.name, f.count, f.mark, f.unchecked, f.written, f.target) for f in line.fields]
    assert found == [
        ("next", 0, "*", False, True, "node"),
        ("up", 0, "^", True, False, None),
        ("slot", 4, "", False, False, None),
        ("rest", None, "", False, False, None),
    ]


def test_values_count_on_as_in_c() -> None:
    line = only("node { color {RED, BLACK = 5, GREEN, NONE = -1, ALL}; }")
    assert isinstance(line, syntax.TypeLine)
    values = (("RED", 0), ("BLACK", 5), ("GREEN", 6), ("NONE", -1), ("ALL", 0))
    assert line.fields[0].values == values


@pytest.mark.parametrize(
    ("text", "value"), [("7", 7), ("0x1F", 31), ("-2", -2), ("2.5", 2.5), ("'a'", 97)]
)
def test_numbers(text: str, value: float) -> None:
    term = body(f"X.key == {text};")
    assert isinstance(term, syntax.Operation)
    number = term.args[1]
    assert isinstance(number, syntax.Number)
    assert number.value == value
    assert type(number.value) is type(value)


@pytest.mark.parametrize(
    ("arrow", "is_path", "negated", "fields"),
    [
        ("->", False, False, None),
        ("-/>", False, True, None),
        ("->>", True, False, None),
        ("↠", True, False, None),
        ("-/>>", True, True, None),
        ("-[left, a.right]->>", True, False, ("left", "a.right")),
        ("-[left]/>", False, True, ("left",)),
    ],
)
def test_arrows(arrow: str, is_path: bool, negated: bool, fields: tuple[str, ...] | None) -> None:
    term = body(f"X {arrow} Y;")
    assert isinstance(term, syntax.Connection)
    assert (term.is_path, term.negated, term.fields) == (is_path, negated, fields)


def test_precedence() -> None:
    term = body("not X.a == 1 + 2 * 3 and X.b or X.c < 4;")
    shown = repr(_shape(term))
    assert shown == "('or', ('and', ('not', ('eq', 'a', ('add', 1, ('mul', 2, 3)))), 'b'), " + (
        "('lt', 'c', 4))"
    )


def _shape(term: syntax.Term) -> object:
    match term:
        case syntax.Operation(op=op, args=args):
            return (op, *map(_shape, args))
        case syntax.Number(value=value):
            return value
        case syntax.Member(name=name):
            return name
    raise AssertionError(term)


def test_a_label_may_stand_before_or_behind() -> None:
    for text in ("c1: X.a == 1;", "X.a == 1; ..(c1)", "X.b => X.a == 1; .. ( c1 )"):
        statement = only(text)
        assert isinstance(statement, syntax.Constraint)
        assert statement.name == "c1"


def test_every_part_knows_where_it_stands() -> None:
    specification = parse("node X;\n  X.key\n == 12;\n")
    constraint = specification.statements[1]
    assert isinstance(constraint, syntax.Constraint)
    assert (constraint.at.line, constraint.at.column) == (2, 3)
    assert specification.text(constraint.at) == "X.key == 12;"
    assert isinstance(constraint.body, syntax.Operation)
    key, number = constraint.body.args
    assert [specification.text(part.at) for part in (key, number)] == ["X.key", "12"]
    assert (number.at.line, number.at.column) == (3, 5)


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("node FIELD 1 EDGE 2;", 1, 19, "node has 2 edges but only 1 fields"),
        ("X.a == 1 =>\n X.h = 0 || X.g = 1;", 2, 13, "both sides of || must assign X.h"),
        ("1 = 2;", 1, 1, "only an attribute of a variable can be assigned"),
    ],
)
def test_what_makes_no_sense(text: str, line: int, column: int, message: str) -> None:
    with pytest.raises(SpecificationError) as caught:
        parse(text)
    assert (caught.value.line, caught.value.column) == (line, column)
    assert message in str(caught.value)
