"""Errors as a good compiler's, lint, and what specifications are said to mean."""

from __future__ import annotations

import pytest

from heapstory import constraints
from heapstory.constraints.binding.constants import read_constants
from heapstory.errors import SpecificationError
from tests.constraints.world import compiled, plan_of, specification

TREE = "node { key; left*; right*; parent^; }\n"


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("node FIELD 2 EDGE;", 1, 18, "syntax error at ';'; expected a number"),
        ("node X\nX.key == 3;", 2, 1, "syntax error at 'X'; expected ',' or ';'"),
        ("node FIELD 2 EDGE 3;", 1, 19, "node has 3 edges but only 2 fields"),
        (TREE + "nod X;", 2, 1, "unknown type 'nod' (did you mean 'node'?)"),
        (
            TREE + "node X; X.lft == NULL;",
            2,
            9,
            "attribute 'lft' (did you mean 'left'?)",
        ),
        (TREE + "node X; X.indegree == 1;", 2, 9, "did you mean 'INDEGREE'?"),
        (TREE + "node X; X.key == Z.key;", 2, 18, "'Z' is neither a declared variable"),
        (TREE + "node X; node.key == 1;", 2, 9, "node is a type; declare a variable"),
        (TREE + "node X; X.key = 3 and X.key = 4;", 2, 29, "to compare, write =="),
        (TREE + "node X; X.key = 3;", 2, 9, "is a field, which the program assigns (to compare"),
        (TREE + "node X, Y; X->left == Y;", 2, 20, "a field is written X.left"),
        (TREE + "node X; X->left;", 2, 9, "a field is written X.left"),
        (TREE + "node X; X.key > 0 -> X.key > 1;", 2, 19, "write =>"),
        (
            "node { n; e*[4]; }\nnode X; X.n > 0 => for i in 0 to X.n - 1, X.e[i] != NULL;",
            2,
            24,
            "(for stands first, before what is supposed: for i in 0 to n, ",
        ),
        (TREE + "node X; X.key > 0 and for i in 0 to 2, X.key > i;", 2, 27, "for stands first"),
        (TREE + "root: node from frame main;", 2, 1, "which variable of main? (frame main.NAME)"),
        ("struct node { key; }", 1, 1, "a type is named without 'struct': node { … }"),
        (TREE + "  struct item\n{ key; }", 2, 3, "a type is named without 'struct': item { … }"),
        ("typedef struct node { key; } node;", 1, 1, "without 'typedef struct': node { … }"),
        ("typedef struct { key; } node;", 1, 1, "a type is named without 'typedef struct': NAME"),
        (TREE + "node X; X.key > 0 => X.left = NULL;", 2, 35, "to compare, write =="),
        (TREE + "node X; X.key > 0 => X.key =! 3;", 2, 28, "differ, write !="),
        (TREE + "node X; X.key =! 3;", 2, 15, "differ, write !="),
        (TREE + "node X, Y; X->left.key == 3;", 2, 24, "a field is written X.left.key"),
        ("node { key; left*; left^; }", 1, 20, "field 'left' is named twice"),
        (TREE + "acylic(left);", 2, 1, "did you mean 'acyclic'?"),
        (TREE + "node X; X.key > 0 and acyclic(left);", 2, 23, "is a statement of its own"),
        (TREE + "node X; X.HEIGHT = 0;", 2, 9, "declare it first: node.HEIGHT;"),
        (TREE + "node.H; node X; X.H = X.H + 1;", 2, 1, "in the same node: H -> H"),
        (
            TREE + "node.A; node.B; node X; X.A = X.B; X.B = X.A + 1;",
            2,
            1,
            "in the same node: A -> B -> A",
        ),
        (TREE + "node.H;", 2, 1, "node.H has no rule"),
        (TREE + "node X; X.key;", 2, 9, "unknown type 'X'"),
        (TREE + "node X; X.key + 1;", 2, 9, "this is a value, not a condition"),
        (TREE + "node X; X -[lft]->> X;", 2, 9, "pointer field 'lft' (did you mean 'left'?)"),
        (TREE + "node X; X.left.nxt.key == 1 or X.rigt == NULL;", 2, 32, "did you mean 'right'?"),
        ("node FIELD 3 EDGE 2; node X; X[4] == 1;", 1, 30, "X[1] to X[3], so there is no [4]"),
        ("node { key[2]; }\nnode X; X.key[2] == 1;", 2, 9, "2 elements, 0 to 1"),
        (TREE + "sorted(next, key);", 2, 1, "no declared type has a field 'next'"),
        (TREE + "sorted(left);", 2, 1, "wrong number of fields: sorted(next, key)"),
        (TREE + "forest(node.left, node.right);", 2, 1, "pointer field 'node.node.right'"),
        (
            TREE + "node X; MEN(X.left, key) == 1;",
            2,
            9,
            "'MEN' (did you mean 'MIN'?)",
        ),
        (TREE + TREE, 2, 1, "declared twice"),
        (TREE + "node X; 1 == 1;", 2, 9, "must speak of a variable"),
        (TREE + "root: nod from head;", 2, 1, "unknown type 'nod' (did you mean 'node'?)"),
    ],
)
def test_errors(text: str, line: int, column: int, message: str) -> None:
    with pytest.raises(SpecificationError) as caught:
        compiled(text)
    error = caught.value
    assert message in str(error)
    assert (error.line, error.column) == (line, column), str(error)
    assert error.exit_code == 2
    first, source, caret = str(error).splitlines()
    assert first.startswith(f"test.spec:{line}:{column}: ")
    assert source.strip() == text.splitlines()[line - 1].strip()
    assert caret.index("^") == 4 + column - 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("node X; X.INDEGREE >= 0;", "c1 can never fail"),
        ("node X; X.OUTDEGREE <= 2;", "c1 can never fail"),
        ("node X; X.key == X.key;", "c1 can never fail"),
        ("node X; X.key == 3 or true == true;", "c1 can never fail"),
        ("node X; X.INDEGREE < 0 => X.key == 1;", "its guard is never true"),
        ("node X, Y; X.key == 3;", "variable Y is never used"),
        ("node.H; node X; X.H = 3; X.key == 1;", "attribute H is never used"),
        ("node X, Y; X.key <= Y.key;", "compares every node with every other"),
    ],
)
def test_lint(text: str, message: str) -> None:
    (warning,) = compiled(TREE + text).warnings
    assert message in warning.message
    assert str(warning).startswith("test.spec:2:")


@pytest.mark.parametrize(
    "text",
    [
        "node X; X.INDEGREE >= 1;",
        "node X; X.OUTDEGREE <= 1;",
        "node X, Y; X.key == Y.key => X == Y;",
        "node X; X.key != 3 or X.left == NULL;",
    ],
)
def test_lint_is_silent_about_what_can_fail(text: str) -> None:
    assert compiled(TREE + text).warnings == ()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "node X; X.ISROOT == FALSE => X.INDEGREE == 1;",
            "For every node X where some edge leads to X, the number of edges into X is 1.",
        ),
        ("node X, Y; X ->> Y => Y -/>> X;", "No path of edges leads back to where it began."),
        (
            "node X, Y; X -> Y => Y.parent == X;",
            "For every node X and node Y where there is an edge from X to Y, Y.parent is X.",
        ),
        (
            "node X, Y; X.left != NULL => X.left == Y;",
            "For every node X where X.left is not NULL, there is a node Y such that X.left is Y.",
        ),
        ("unique(node.key);", "No two node nodes have the same key."),
        (
            "node X; not (X.key < 3 or X.left == NULL);",
            "For every node X, X.key is not less than 3 and X.left is not NULL.",
        ),
    ],
)
def test_words(text: str, words: str) -> None:
    assert plan_of(TREE + text).constraints[0].words == words


def test_explain_needs_no_trace() -> None:
    text = constraints.explain(specification(TREE + "node X; X.key == LIMIT;"))
    assert "X.key is LIMIT" in text
    assert "safe(node.left)" in text


def test_statements_are_counted_as_in_the_thesis() -> None:
    text = TREE + "node X; node.H; X.H = 1; node Y; X.H == Y.H => X == Y; sorted(left, key);"
    assert specification(text).size == 5


def test_constants_of_a_source() -> None:
    source = """
    #define LIMIT 12   // a number
    #define MASK 0xffu
    #define OTHER LIMIT
    #define CALL(x) x
    enum colour { RED, BLACK = 4, /* and */ GREEN };
    typedef enum { ONE = 1, TWO } number;
    """
    known = {"LIMIT": 12, "MASK": 255, "OTHER": 12, "RED": 0, "BLACK": 4, "GREEN": 5, "ONE": 1}
    assert read_constants([source]) == {**known, "TWO": 2}
    assert read_constants(["#define A 1\n", "#define A 2\n"]) == {}
