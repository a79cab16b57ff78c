# ruff: noqa: E501 - the text to replace stands as in the files
"""Mutants of the thirteen structures: one edit each, and what is right to say of it.

(structure, what was done, text to replace, replacement, verdict, operations needed); ## parts edits
"""

from __future__ import annotations

from pathlib import Path

EXAMPLES = Path(__file__).parents[2] / "examples" / "linear"
BAD, GOOD = "not-linearizable", "bounded-ok"

MUTANTS: list[tuple[str, str, str, str, str, int]] = [
    (
        "ms_queue",
        "enqueue does not check that it is at the end: it gets stuck, never answers wrongly",
        "1 < n == NULL; t.next == n; > t.next = X;",
        "1 t.next = X;",
        GOOD,
        3,
    ),
    (
        "ms_queue",
        "both CAS of enqueue are plain writes",
        "1 < n == NULL; t.next == n; > t.next = X; ## * < Q.tail == t; > Q.tail = X;",
        "1 t.next = X; ## 1 Q.tail = X;",
        BAD,
        4,
    ),
    (
        "ms_queue",
        "dequeue does not check that the head is still there",
        "1 < Q.head == h; > Q.head = n;",
        "1 Q.head = n;",
        BAD,
        4,
    ),
    (
        "ms_queue",
        "the second look at the tail is not needed",
        "1 < Q.tail == t; > READ Q.tail;",
        "1 READ Q.tail;",
        GOOD,
        3,
    ),
    (
        "ms_queue",
        "empty where head and tail meet, whatever is linked: that enqueue is not done",
        "1 < Q.head == h; h == t; n == NULL; > return EMPTY;",
        "1 < h == t; > return EMPTY;",
        GOOD,
        3,
    ),
    (
        "ms_two_lock_queue",
        "enqueue takes no lock",
        "1 < tlock == 0; > tlock = ID; ## < tlock == ID; >",
        "1 READ tlock; ## ",
        BAD,
        4,
    ),
    (
        "ms_two_lock_queue",
        "dequeue gives its lock back before it moves the head",
        "1 < hlock == ID; > head = n;                             ...d5   // D9\n"
        "  1 < hlock == ID; > hlock = 0;",
        "1 < hlock == ID; > hlock = 0;\n  1 head = n;",
        BAD,
        3,
    ),
    (
        "ms_two_lock_queue",
        "the tail moves before the node is linked",
        "1 < tlock == ID; > t.next = X;                           ...e4   // E5: ->next = node\n"
        "  1 < tlock == ID; > tail = X;",
        "1 < tlock == ID; > tail = X;\n  1 < tlock == ID; > t.next = X;",
        GOOD,
        3,
    ),
    (
        "dglm_queue",
        "dequeue does not check that the head is still there",
        "1 < Q.head == h; > Q.head = n;",
        "1 Q.head = n;",
        BAD,
        4,
    ),
    (
        "dglm_queue",
        "empty although the head has moved meanwhile",
        "1 < Q.head == h; n == NULL; > return EMPTY;",
        "1 < n == NULL; > return EMPTY;",
        GOOD,
        3,
    ),
    (
        "dglm_queue",
        "the link is written without a check",
        "1 < n == NULL; t.next == n; > t.next = X; ## * < Q.tail == t; > Q.tail = X;",
        "1 < n == NULL; > t.next = X; ## 1 Q.tail = X;",
        BAD,
        4,
    ),
    (
        "herlihy_wing_queue",
        "fetch and increment split in two",
        "1 k = back; back = back + 1;",
        "1 k = back;\n  1 back = k + 1;",
        BAD,
        5,
    ),
    (
        "herlihy_wing_queue",
        "the scan may begin anywhere",
        "1 loop < i < range; AR[i] == NULL; > i = i + 1;",
        "1 loop < i < range; > i = i + 1;",
        BAD,
        3,
    ),
    (
        "herlihy_wing_queue",
        "the swap split in a read and a write",
        "x = AR[i]; AR[i] = NULL; return x;",
        "x = AR[i];\n  1 AR[i] = NULL; return x;",
        BAD,
        3,
    ),
    (
        "treiber_stack",
        "pop swings the top without a check",
        "1 < top == t; > top = n;",
        "1 top = n;",
        BAD,
        4,
    ),
    (
        "treiber_stack",
        "push swings the top without a check",
        "1 < top == t; > top = x;",
        "1 top = x;",
        BAD,
        4,
    ),
    (
        "treiber_stack",
        "the value is read before the top moves, which is as good",
        "1 < t != NULL; > n = t.next;",
        "1 < t != NULL; > n = t.next; v = t.value;",
        GOOD,
        3,
    ),
    (
        "elimination_stack",
        "pop swings the top without a check",
        "1 < baton == NULL; top == t; > top = n;",
        "1 < baton == NULL; > top = n;",
        BAD,
        4,
    ),
    (
        "elimination_stack",
        "a push goes between the two halves of an elimination",
        "1 < baton == NULL; top == t; > top = x;",
        "1 < top == t; > top = x;",
        BAD,
        3,
    ),
    (
        "elimination_stack",
        "empty is seen between the two halves of an elimination",
        "1 < baton == NULL; top == NULL; > return EMPTY;",
        "1 < top == NULL; > return EMPTY;",
        BAD,
        3,
    ),
    (
        "timestamped_stack",
        "a pop takes any node",
        " none node m : m.taken == 0, m.stamp > n.stamp, m.stamp < MAX;",
        "",
        BAD,
        3,
    ),
    (
        "timestamped_stack",
        "a pop does not check that its node is still there",
        "1 < n.taken == 0; baton == NULL; none",
        "1 < baton == NULL; none",
        BAD,
        3,
    ),
    (
        "hhlmss_lazy_set",
        "add does not look whether its place was removed",
        "1 < p.lock == ID; p.marked == 0; > READ p.marked;                ...e5",
        "1 < p.lock == ID; > READ p.marked;                ...e5",
        BAD,
        4,
    ),
    (
        "hhlmss_lazy_set",
        "add does not look whether something came between",
        "1 < p.lock == ID; p.next == c; > READ p.next;                    ...e7",
        "1 < p.lock == ID; > READ p.next;                    ...e7",
        BAD,
        3,
    ),
    (
        "hhlmss_lazy_set",
        "remove unlinks first and marks later, which only delays it",
        "1 < c.lock == ID; > c.marked = 1;                                ...d8   // R9: logically removed\n"
        "  1 < c.lock == ID; > n = c.next;                                  ...d9   // R10\n"
        "  1 < p.lock == ID; > p.next = n; c.linked = 0;                    ...d10  // R10: physically removed",
        "1 < c.lock == ID; > n = c.next;\n  1 < p.lock == ID; > p.next = n; c.linked = 0;\n"
        "  1 < c.lock == ID; > c.marked = 1;",
        GOOD,
        3,
    ),
    (
        "vy_cas_set",
        "add does not see a mark on its place",
        "1 < p.next == c; p.marked == 0; > p.next = x;",
        "1 < p.next == c; > p.next = x;",
        BAD,
        4,
    ),
    (
        "vy_cas_set",
        "remove does not mark",
        "1 < c.next == n; c.marked == 0; > c.marked = 1;",
        "1 < c.next == n; c.marked == 0; > READ c.next;",
        BAD,
        4,
    ),
    (
        "vy_dcas_set",
        "the DCAS compares one word only",
        "1 < p.next == c; p.marked == 0; c.next == n; c.marked == 0; >",
        "1 < p.next == c; p.marked == 0; c.marked == 0; >",
        BAD,
        4,
    ),
    (
        "vy_dcas_set",
        "the DCAS split in two",
        "c.marked = 1; p.next = n; c.linked = 0; return TRUE;",
        "c.marked = 1;\n  1 p.next = n; c.linked = 0; return TRUE;",
        BAD,
        4,
    ),
    (
        "orvyy_set",
        "add does not check the mark",
        "1 < c.key > k; p.next == c; p.mark == 0; >                               // A6, A8",
        "1 < c.key > k; p.next == c; >",
        BAD,
        4,
    ),
    (
        "orvyy_set",
        "add does not check that nothing came between",
        "1 < c.key > k; p.next == c; p.mark == 0; >                               // A6, A8",
        "1 < c.key > k; p.mark == 0; >",
        BAD,
        3,
    ),
    (
        "orvyy_set",
        "remove forgets to mark",
        "c.mark = 1; p.next = c.next;",
        "p.next = c.next;",
        BAD,
        4,
    ),
    (
        "pair_snapshot",
        "no second look at the version",
        "1 < xv == av; > return a, b;",
        "1 return a, b;",
        BAD,
        3,
    ),
    (
        "pair_snapshot",
        "a write does not raise the version",
        "1 x = v; xv = xv + 1;",
        "1 x = v;",
        BAD,
        3,
    ),
    (
        "pair_snapshot",
        "value and version written apart",
        "1 x = v; xv = xv + 1;",
        "1 x = v;\n  1 xv = xv + 1;",
        BAD,
        4,
    ),
    (
        "rdcss",
        "the control cell is read before the descriptor is in place",
        "1 < d2 == NULL; a2 == o2; > d2 = d;                          ...a1   // r := CAS1(d.a2, d.o2, d)\n"
        "  * < a1 == d.o1; > READ a1;",
        "1 < a1 == d.o1; > READ a1;\n  1 < d2 == NULL; a2 == o2; > d2 = d;",
        BAD,
        4,
    ),
    (
        "rdcss",
        "a reader looks under the descriptor, where the old value still is",
        "1 < d2 == NULL; > v = a2; return v;",
        "1 v = a2; return v;",
        BAD,
        4,
    ),
    (
        "rdcss",
        "the descriptor is put over another one, which then gets stuck and never answers",
        "1 < d2 == NULL; a2 == o2; > d2 = d;                          ...a1",
        "1 < a2 == o2; > d2 = d;                          ...a1",
        GOOD,
        3,
    ),
]


def source(structure: str) -> str:
    """The text of a structure's specification."""
    return (EXAMPLES / f"{structure}.lin").read_text(encoding="utf-8")


def mutated(structure: str, old: str, new: str) -> str:
    """The text of a mutant."""
    text = source(structure)
    for before, after in zip(old.split(" ## "), new.split(" ## "), strict=True):
        assert before in text, (structure, before)
        text = text.replace(before, after)
    return text
