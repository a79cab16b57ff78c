"""The specification language: the thesis' figures, errors with a place, lint."""

from __future__ import annotations

import pytest

from heapstory.errors import SpecificationError
from heapstory.linear.language.lint import lint
from heapstory.linear.language.show import show_step
from heapstory.linear.program.load import parse

FIGURE_6_4 = """
T1.   struct node{int value, node next};
T2.   struct queue{node head, node tail};
G1.   queue Q ;
Enqueue (int val)
E1.   node X;
E2.   node Z;
E3.   1 X = malloc node;           ...a
E4.   1 X.value = val;             ...b
E5.   1 X.next = NULL;            ...c
E6.   1 < Q.tail == Z; Z.next == NULL;>
      Z.next = X;                 ...d
E7.   * < Q.tail == Z>
      Q.tail = X;                 ...e
Dequeue_nonempty()
D1.   node X;
D2.   1 < Q.head == X; Q.tail ≠ X; X.next ≠ NULL;>
      Q.head = X.next;           ...f
D3.   1 free X;                   ...g
Dequeue_empty()
DE1.  node X;
DE3.  1 < Q.head == X; Q.tail == X; X.next == NULL;>     ...h
"""
FIGURE_6_7 = "1 him = collision[pos]; collision[pos] = mypid;"
FIGURE_6_8 = """
int AR[]; int back;
Enqueue(int lv)
int k;
1 k = back; back = back + 1;
1 AR[k] = lv;
"""
FIGURE_6_12 = """
T1. struct E{int mark, int key, E next};
contains()
C1.  E P;
C2.  E C;
C3.  1 READ P;
C4.  1 C = P.next;
C5.  1 READ C.key;
remove()
R1.  E P;
R2.  E C;
R3.  1 READ P;
R4.  1 C = P.next;
R5.  1 < P[next] == C; P.mark == 0; >
READ C.key;
C.mark = 1;
P.next = C.next;
add()
A1.  E P;
A2.  E C;
A3.  E T;
A4.  1 READ P;
A5.  1 C = P.next;
A6.  1 < P.next == C; P.mark == 0; >
    READ C.key;
    T.next = C;
    P.next = T;
"""


@pytest.mark.parametrize(
    ("text", "steps"), [(FIGURE_6_4, 8), (FIGURE_6_7, 1), (FIGURE_6_8, 2), (FIGURE_6_12, 9)]
)
def test_figures_parse_as_printed(text: str, steps: int) -> None:
    assert sum(len(o.steps) for o in parse(text).operations) == steps


def test_guards_bind_locals_without_a_value() -> None:
    spec = parse(FIGURE_6_4)
    link = spec.operation("Enqueue").steps[3]
    assert [name for name, _ in link.binds] == ["Z"]
    assert link.label == "d"
    assert spec.operation("Enqueue").steps[4].binds == ()
    assert spec.operation("Enqueue").steps[4].mark == "*"


def test_bracket_field_is_a_field() -> None:
    guard = parse(FIGURE_6_12).operation("remove").steps[2]
    assert "P.next == C" in show_step(guard)


@pytest.mark.parametrize(
    ("text", "line", "column", "words"),
    [
        ("int x;\nfoo()\n  1 x = ;", 3, 9, "syntax error at ';'"),
        ("int x;\nfoo()\n  1 < x == 1  x = 2;", 3, 15, "syntax error"),
        ("struct n{foo b};\nint x; f() 1 x = 1;", 1, 10, "unknown type 'foo'"),
        ("implements heap;\nint x; f() 1 x = 1;", 1, 12, "unknown type 'heap'"),
        ("int x;\nf() int y; 1 y = 1;", 2, 1, "no step that touches shared state"),
        ("f() 1 x = 1;", 1, 7, "'x' is not declared"),
        ("int x; f() int y; 1 x = y;", 1, 19, "'y' is used before it has a value"),
        ("struct n{int v}; n t; f() 1 t.w = 3;", 1, 30, "no field 'w'"),
        ("struct n{int v}; n t; int x; f() 1 x = t;", 1, 36, "do not mix"),
        ("implements queue; int x; f() 1 x = 1;", 1, 26, "not a method of queue"),
        ("implements queue; int x; enqueue() 1 x = 1;", 1, 26, "takes 1 argument"),
        ("int x; f() 1 x = 1; f() 1 x = 2;", 1, 21, "declared twice"),
        ("int x; f() 1 x = 1; order a, b;", 1, 27, "no sub-operation has the label 'a'"),
        ("", 1, 1, "no operation"),
    ],
)
def test_errors_name_the_place(text: str, line: int, column: int, words: str) -> None:
    with pytest.raises(SpecificationError) as caught:
        parse(text, "bad.lin")
    assert (caught.value.line, caught.value.column) == (line, column), str(caught.value)
    assert words in str(caught.value)
    assert str(caught.value).startswith(f"bad.lin:{line}:{column}: ")
    if text:
        assert str(caught.value).splitlines()[-1] == " " * (4 + column - 1) + "^"


def test_lint_finds_unused_locals_and_reads() -> None:
    spec = parse("int x; int y; f() int l; int m; int n; 1 l = x; 1 m = y; 1 x = m;", "s.lin")
    remarks = lint(spec)
    assert any("local 'n'" in r and r.startswith("s.lin:1:") for r in remarks)
    assert any("value read into 'l' is never used" in r for r in remarks)
    assert not any("'m'" in r for r in remarks)


def test_both_bracket_uses_of_less_than() -> None:
    spec = parse("int x; f() 1 < x < 3; x > 0; > x = x + 1 ...a\n 1 < x >= 2 > x = 0;")
    texts = [show_step(s) for s in spec.operations[0].steps]
    assert texts == ["1 < x < 3; x > 0; > x = x + 1;", "1 < x >= 2; > x = 0;"]


def test_is_takes_other_names_of_a_method() -> None:
    spec = parse("implements register; int x; f() is get int r; 1 r = x; return r;")
    assert spec.operations[0].method == "read"
