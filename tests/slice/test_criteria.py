# SPDX-License-Identifier: GPL-2.0-or-later
"""How criteria are read, and what parts of slices are."""

from __future__ import annotations

import pytest

from heapstory.errors import UsageError
from heapstory.slicing.criteria import Criterion, parse, parse_memory
from heapstory.slicing.narrowing import leading_through, nearest, reach
from heapstory.slicing.registers import NAMES, register_bytes, register_name


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a.c:12", Criterion("a.c:12", "line", "a.c", 12)),
        ("a.c:12#3", Criterion("a.c:12#3", "line", "a.c", 12, 3)),
        ("d/a.c:12:x#-2", Criterion("d/a.c:12:x#-2", "line", "d/a.c", 12, -2, what="x")),
        ("a.cc:1:n::x", Criterion("a.cc:1:n::x", "line", "a.cc", 1, what="n::x")),
        ("a.c:1:$rax", Criterion("a.c:1:$rax", "line", "a.c", 1, what="$rax")),
        ("@7", Criterion("@7", "timestamp", timestamp=7)),
        ("@7:0x10+4", Criterion("@7:0x10+4", "timestamp", timestamp=7, what="0x10+4")),
        ("read#-5", Criterion("read#-5", "read", number=-5)),
        ("end:x", Criterion("end:x", "end", what="x")),
        ("crash", Criterion("crash", "crash")),
    ],
)
def test_forms(text: str, expected: Criterion) -> None:
    assert parse(text) == expected


@pytest.mark.parametrize("text", ["", "a.c", "a.c:x", "@x", "read", "read#0", "a.c:1#0", "end:"])
def test_what_is_no_criterion(text: str) -> None:
    with pytest.raises(UsageError, match="--criterion"):
        parse(text)


def test_memory() -> None:
    assert parse_memory("0x10") == (16, 8)
    assert parse_memory("0x10+3") == (16, 3)
    assert parse_memory("x") is None
    with pytest.raises(UsageError):
        parse_memory("0x10+0")


def test_registers() -> None:
    assert [register_bytes(name) for name in ("$rax", "$ecx", "$ah", "$r9w", "$sil")] == [
        (0, 8),
        (8, 4),
        (1, 1),
        (72, 2),
        (48, 1),
    ]
    assert all(register_name(first) in NAMES for first, _ in NAMES.values())
    for wrong in ("$rsp", "$nothing"):
        with pytest.raises(UsageError):
            register_bytes(wrong)


def test_parts_of_a_graph() -> None:
    graph = {0: [1, 2], 1: [3], 2: [4], 4: [5]}
    assert reach(graph, [0]) == {0: 0, 1: 1, 2: 1, 3: 2, 4: 2, 5: 3}
    assert leading_through(graph, {2}) == {0, 2, 4, 5}
    statements = {1: 1, 2: 2, 3: 2, 4: 3, 5: 4}
    assert nearest(reach(graph, [0]), statements.get, 2) == ({0, 1, 2, 3}, 2)
