"""Fingerprints outlive edits elsewhere, and tell different mistakes apart."""

from __future__ import annotations

from heapstory.checks.finding import Block, Finding, merged
from heapstory.store.places import Place

PROGRAM = "/home/me/program"


def place(function: str, line: int, module: str = PROGRAM) -> Place:
    return Place(f"/home/me/{function}.c", line, function, module, line)


def finding(kind: str = "double-free", at: int = 10, allocated: int = 5) -> Finding:
    libc = place("strdup", 42, "/usr/lib/x86_64-linux-gnu/libc.so.6")
    block = Block(0x1000, 16, [libc, place("make", allocated)], [place("drop", 7)])
    return Finding(kind, 0x1000, [place("drop", at), place("main", 50)], block)


def test_lines_do_not_count_and_names_do() -> None:
    assert finding(at=10).fingerprint == finding(at=99, allocated=77).fingerprint
    assert finding().fingerprint != finding("bad-free").fingerprint
    other = finding()
    other.stack = [place("other", 10)]
    assert other.fingerprint != finding().fingerprint


def test_a_leak_is_known_by_its_allocation() -> None:
    one, other = finding("leak"), finding("leak")
    other.stack = []
    assert one.fingerprint == other.fingerprint


def test_the_statement_is_the_programs_own() -> None:
    found = finding()
    assert found.block is not None
    found.stack = found.block.allocated
    assert found.function == "make"
    found.stack = []
    assert found.function == "drop"  # where it was freed


def test_without_names_the_offset_tells_them_apart() -> None:
    stripped = [Finding("bad-free", 1, [Place(module=PROGRAM, offset=at)]) for at in (1, 1, 2)]
    assert [one.count for one in merged(stripped)] == [2, 1]


def test_the_same_mistake_on_two_lines_stays_two() -> None:
    assert [one.count for one in merged([finding(at=10), finding(at=11), finding(at=10)])] == [2, 1]
