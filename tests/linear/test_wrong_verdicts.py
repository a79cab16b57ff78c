"""Small specifications that were once accepted, each for a reason of its own, and what is right."""

from __future__ import annotations

import pytest

from heapstory.errors import SpecificationError
from heapstory.linear.budget import Budget
from heapstory.linear.program.load import parse
from heapstory.linear.verdict.counterexample import build
from heapstory.linear.verdict.judge import judge
from heapstory.linear.verdict.report import BOUNDED, PROVED, REFUTED, Options, Report
from heapstory.linear.verdict.rules import attempt
from tests.linear import LONG
from tests.linear.independent.explorer import Explorer
from tests.linear.test_language import FIGURE_6_4

# what it is about -> specification, operations and keys that show the mistake
WRONG: dict[str, tuple[str, int, int]] = {
    "a partial method of a model": (
        """model { int n; enter() 1 < n < 2; > n = n + 1; leave() 1 < n > 0; > n = n - 1; }
        int n; enter() 1 n = n + 1; leave() 1 < n > 0; > n = n - 1;""",
        3, 1,
    ),
    "overlapping variants of a model": (
        """model { int x; flip_a() 1 x = 1; return 1; flip_b() 1 x = 2; return 2;
                   get() is look int v; 1 v = x; return v; }
        int x; flip() 1 x = 2; return 1; get() is look int v; 1 v = x; return v;""",
        2, 1,
    ),
    "the initial state of a model": (
        """model { int x; init { x = 5; } look() int v; 1 v = x; return v; }
        int x; look() int v; 1 v = x; return v;""",
        1, 1,
    ),
    "a model that answers more": (
        """model { look() 1 return 1, 2; } int x = 1; look() int v; 1 v = x; return v;""",
        1, 1,
    ),
    "an answer in a step of its own": (
        """implements register; int x; int y;
        write(int v) 1 x = v; 1 return; 1 y = v;
        read() int r; 1 r = y; return r;""",
        2, 2,
    ),
    "an argument that is an index": (
        """implements set; int A[];
        Add_yes (int k) 1 < A[k] == 0; > READ A[k]; 1 A[k] = 1; return TRUE;
        Add_no (int k) 1 < A[k] == 1; > return FALSE;""",
        2, 2,
    ),
    "an argument that only the type compares": (
        """implements set; int x; Add (int k) 1 x = k; return TRUE;""",
        2, 2,
    ),
    "a walk that is longer than there are operations": (
        """model { last() 1 return 1; }
        struct n { n next, int v }; n head;
        init { n a; n b; head = malloc n; head.v = 1; a = malloc n; a.v = 1; head.next = a;
               b = malloc n; b.v = 1; a.next = b; a = malloc n; a.v = 1; b.next = a;
               b = malloc n; b.v = 1; a.next = b; a = malloc n; a.v = 2; b.next = a; }
        last() n p; int r;
          1 p = head;
          1 loop < p.next != NULL; > p = p.next;
          1 < p.next == NULL; > r = p.v; return r;""",
        1, 1,
    ),
    "names that are indices": (
        """model { int c; announce() 1 c = 1; look() int r; 1 r = c; return r; }
        int A[]; announce() 1 A[ID] = 1; look() int r; 1 r = A[1]; return r;""",
        2, 1,
    ),
    "names that are compared by size": (
        """model { int c; claim() int r; 1 r = c; c = 1; return r; }
        int owner; claim_first() 1 < owner == 0; > owner = ID; return 0;
        claim_later() 1 < owner < ID; owner != 0; > return 1;
        claim_again() 1 < owner > ID; > return 0;""",
        2, 1,
    ),
    "a loop behind the answer": (
        """implements register; int x; int y;
        write(int v) 1 x = v; return; 1 loop y = v;
        read() int r; 1 r = y; return r;""",
        2, 2,
    ),
    "a loop as the last step": (
        """model { int x; set(int v) is put 1 x = v; get() is look int r; 1 r = x; return r; }
        int x; set(int v) is put 1 READ x; 1 loop x = v;
        get() is look int r; 1 r = x; return r;""",
        2, 2,
    ),
    "two loops in a row": (
        """implements queue; int A[]; int back;
        Enqueue (int v) int k; 1 k = back; back = back + 1; 1 A[k] = v;
        Dequeue () int i; int n; int x; 1 n = back; i = 1;
          1 loop < i < n; A[i] == NULL; > i = i + 1;
          1 loop i = 0;
          1 < i < n; A[i] != NULL; > x = A[i]; A[i] = NULL; return x;""",
        3, 2,
    ),
    "an enqueue that answers before it is done": (
        """implements queue; int A[]; int back;
        Enqueue (int v) int k; 1 k = back; back = back + 1; return; 1 A[k] = v;
        Dequeue () int i; int n; int x; 1 n = back; i = 0;
          1 loop < i < n; A[i] == NULL; > i = i + 1;
          1 < i < n; A[i] != NULL; > x = A[i]; A[i] = NULL; return x;""",
        4, 2,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", [n for n in WRONG if WRONG[n][1] < 4])
def test_the_independent_explorer_says_so(name: str) -> None:
    text, operations, keys = WRONG[name]
    assert Explorer(text, operations, keys).wrong is not None


@pytest.mark.parametrize("name", WRONG)
def test_it_is_refuted_with_a_history_that_is_confirmed(name: str) -> None:
    text, operations, keys = WRONG[name]
    spec = parse(text)
    options = Options(bound=operations, keys=keys, proof=False, timeout=LONG)
    report = judge(spec, options)
    assert report.verdict == REFUTED
    assert report.search is not None and report.search.trail is not None
    shown = build(spec, report.search.trail)
    assert shown is not None and shown.replays and shown.confirmed


@pytest.mark.parametrize("name", WRONG)
def test_no_rule_proves_it(name: str) -> None:
    pytest.importorskip("z3")
    report = Report("", "", BOUNDED)
    attempt(parse(WRONG[name][0]), Options(), Budget(LONG), report)
    assert report.verdict != PROVED


def test_a_hint_at_a_loop_is_refused() -> None:
    text = "implements counter; int x; increment() int l; 1 loop x = x + 1; ...a 1 l = x; return l;"
    with pytest.raises(SpecificationError, match="loop step"):
        parse(text + " hint point a;")


def test_nothing_is_proved_of_what_never_runs() -> None:
    pytest.importorskip("z3")
    report = judge(parse(FIGURE_6_4), Options(bound=3, timeout=LONG))
    assert report.verdict == "unknown" and "completes" in report.reason
    # one operation of two can run
    text = "implements counter; int x; increment() int l; 1 l = x; x = x + 1; return l;"
    assert judge(parse(text), Options(bound=3, timeout=LONG)).verdict == PROVED
    more = text + " decrement() int l; 1 < x < 0; > l = x; x = x - 1; return l;"
    report = judge(parse(more), Options(bound=3, timeout=LONG))
    assert report.verdict == BOUNDED and report.never == ["decrement.s2"]


def test_an_initial_value_is_a_constant() -> None:
    assert parse("int x = 1 + 2; f() 1 x = 1;").globals[0].initial.value == 3  # type: ignore[union-attr]
    with pytest.raises(SpecificationError, match="constant"):
        parse("int x; int y = x; f() 1 x = 1;")
    with pytest.raises(SpecificationError, match="in a step"):
        parse("struct n { n next }; n t; f() n p = NULL; 1 READ p; t = p;")
    with pytest.raises(SpecificationError, match="not a node"):
        parse("struct n { n next }; n t; f(n p) 1 t = p;")
    with pytest.raises(SpecificationError, match="loop step cannot return"):
        parse("int x; f() 1 loop return x;")


def test_the_conflict_names_all_that_cannot_be_put_in_order() -> None:
    # the read is only wrong because the write before it has ended
    text = WRONG["an answer in a step of its own"][0]
    report = judge(parse(text), Options(bound=2, keys=2, proof=False, timeout=LONG))
    assert report.search is not None and report.search.trail is not None
    shown = build(parse(text), report.search.trail)
    assert shown is not None and len(shown.conflict) == 2
