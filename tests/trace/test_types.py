"""Names and texts of fields."""

from __future__ import annotations

import struct

from heapstory.store.types import Leaf, Types
from tests.support.fake_core import INT, LIST, NODE, TYPES, FakeCore, member


def types() -> Types:
    return Types(FakeCore([]))  # type: ignore[arg-type]


def test_fields_of_a_struct_and_of_an_array_of_them() -> None:
    assert types().field(NODE, 24, 8) == "prev"
    assert types().field(NODE, 24, 9) is None
    assert types().field(NODE, 72, 24) == "[1].next"
    assert [leaf.name for leaf in types().leaves(NODE, 24)] == ["next", "prev", "value"]


def test_a_flexible_array_takes_the_rest_of_the_block() -> None:
    assert types().field(LIST, 20, 13) == "chars[5]"
    assert types().field(LIST, 20, 0) == "size"
    assert types().field(LIST, 20, 4) is None  # padding


def test_bit_fields_share_their_storage() -> None:
    flags = {
        **TYPES[NODE],
        "size": 4,
        "fields": [
            {**member("low", 0, 4, INT, bits=3)},
            {**member("high", 0, 4, INT, bits=5), "bit_offset": 3},
        ],
    }
    known = types()
    known._types[50] = flags
    leaves = list(known.leaves(50, 4))
    assert [leaf.name for leaf in leaves] == ["low", "high"]
    assert [leaf.text(b"\x2d\0\0\0") for leaf in leaves] == ["5", "5"]


def test_unknown_types_have_no_fields() -> None:
    assert types().field(None, 24, 0) is None
    assert list(types().leaves(None, 24)) == []
    assert types().name(None) is None


def test_values_as_text() -> None:
    assert Leaf("x", 0, 4, "base", is_signed=True).text(b"\xff\xff\xff\xff") == "-1"
    assert Leaf("x", 0, 4, "base").text(b"\xff\xff\xff\xff") == "4294967295"
    assert Leaf("x", 0, 8, "base", is_float=True).text(struct.pack("<d", 2.5)) == "2.5"
    assert Leaf("x", 0, 1, "base", is_char=True).text(b"a") == "'a'"
    assert Leaf("x", 0, 1, "base", is_char=True).text(b"\0") == "0"
    assert Leaf("x", 0, 8, "pointer").text(bytes(8)) == "NULL"
