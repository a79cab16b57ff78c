"""Suppressions in Valgrind's format: read, matched, written."""

from __future__ import annotations

from pathlib import Path

import pytest

from heapstory.checks.suppressions import Suppressions, read_suppressions, suppression_for
from heapstory.errors import UsageError
from heapstory.store.places import Place

OWN, LIBRARY = "/home/me/prog", "/usr/lib/libx.so"
STACK = [
    Place("/src/a.c", 3, "inner", OWN),
    Place("/src/a.c", 9, "ns::outer(int, char*)", OWN),
    Place(None, None, "sort", LIBRARY),
    Place("/src/b.c", 20, "main", OWN),
]


def read(folder: Path, text: str) -> Suppressions:
    file = folder / "some.supp"
    file.write_text(text)
    return read_suppressions([file])


def entry(kind: str, *frames: str) -> str:
    return "\n".join(["{", "  name", f"  {kind}", *(f"  {frame}" for frame in frames), "}"])


@pytest.mark.parametrize(
    ("kind", "frames", "fits"),
    [
        ("Memcheck:Addr4", ["fun:inner"], True),
        ("Memcheck:Addr8", ["fun:inner"], False),
        ("Memcheck:Leak", ["fun:inner"], False),
        ("Helgrind:Race", ["fun:inner"], False),
        ("Memcheck,Helgrind:Addr4", ["fun:inn*"], True),
        ("Memcheck:Addr4", ["fun:inner", "fun:ns::outer"], True),
        ("Memcheck:Addr4", ["fun:inner", "fun:ns::outer(int, char*)"], True),
        ("Memcheck:Addr4", ["fun:inner", "fun:main"], False),
        ("Memcheck:Addr4", ["fun:inner", "...", "fun:main"], True),
        ("Memcheck:Addr4", ["...", "obj:*/libx.so"], True),
        ("Memcheck:Addr4", ["obj:/home/me/p?og"], True),
        ("Memcheck:Addr4", ["src:a.c:3"], True),
        ("Memcheck:Addr4", ["src:a.c:4"], False),
        ("Memcheck:Addr4", ["fun:inner", "...", "fun:nobody"], False),
    ],
)
def test_what_fits(kind: str, frames: list[str], fits: bool, tmp_path: Path) -> None:
    known = read(tmp_path, entry(kind, *frames))
    assert (known.why("unaddressable-read", 4, STACK) is not None) == fits
    assert [str(one) for one in known.unused] == (
        [] if fits else [f"name ({tmp_path}/some.supp:1)"]
    )


def test_kinds_of_leaks_and_allocators(tmp_path: Path) -> None:
    text = entry("Memcheck:Leak", "match-leak-kinds: possible,indirect", "fun:malloc", "fun:inner")
    known = read(tmp_path, f"# a remark\n\n{text}\n")
    assert known.why("leak", 0, STACK) is None
    assert known.why("possible-leak", 0, STACK) == "suppression name"
    assert known.why("indirect-leak", 0, STACK) == "suppression name"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("{\n name\n Memcheck:Leak\n fun:f\n", 1),
        ("name\n", 1),
        ("{\n name\n Memcheck Leak\n fun:f\n}\n", 3),
        ("{\n name\n Memcheck:Leak\n function f\n}\n", 4),
        ("{\n name\n Memcheck:Leak\n match-leak-kinds: lost\n fun:f\n}\n", 4),
        ("# one\n{\n name\n}\n", 2),
        ("{\n name\n Memcheck:Leak\n}\n", 1),
    ],
)
def test_what_is_damaged_is_named_with_its_line(text: str, line: int, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=rf"some\.supp:{line}:"):
        read(tmp_path, text)


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    (tmp_path / "some.supp").write_bytes(b"{\n\xff\n}\n")
    with pytest.raises(UsageError, match=r"some\.supp:2:"):
        read_suppressions([tmp_path / "some.supp"])


@pytest.mark.parametrize(
    ("kind", "size"),
    [
        ("unaddressable-write", 8),
        ("unaddressable-read", 37),
        ("double-free", 0),
        ("overlap", 12),
        ("uninitialized-condition", 0),
        ("uninitialized-address", 0),
        ("uninitialized-argument", 3),
        ("leak", 0),
        ("possible-leak", 0),
    ],
)
def test_what_is_written_fits(kind: str, size: int, tmp_path: Path) -> None:
    text = suppression_for("mine", kind, size, STACK)
    assert read(tmp_path, text).why(kind, size, STACK) == "suppression mine"
    elsewhere = [Place("/src/c.c", 1, "other", OWN), STACK[-1]]
    assert read(tmp_path, text).why(kind, size, elsewhere) is None
