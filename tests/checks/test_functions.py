"""Functions in suppressions, by linkage names, bare names and readable ones."""

from __future__ import annotations

import pytest

from heapstory.checks.functions import fits_function, function_pattern
from heapstory.store.places import Place


@pytest.mark.parametrize(
    ("pattern", "function", "inlined", "fits"),
    [
        ("push", "push", False, True),
        ("pu*", "push", False, True),
        ("main", "main", False, True),
        ("main.cold", "main", False, True),
        ("push.part.0", "push", False, True),
        ("_ZN4shop4Cart4loseEi", "shop::Cart::lose", False, True),
        ("_ZN4shop4Cart4loseEi", "shop::Cart::lose(int)", False, True),
        ("_ZN4shop4Cart4loseEi", "shop::Cart::loser", False, False),
        ("_ZN4shop4Cart4makeIdEEPT_S2_", "shop::Cart::make<double>", False, True),
        ("_ZN4shop4CartC1Ev", "shop::Cart::Cart", False, True),
        ("_ZN4shop4CartD2Ev", "shop::Cart::~Cart", False, True),
        ("_ZN4shop4CartD2Ev", "shop::Cart::Cart", False, False),
        ("_ZN4shop4CartC?E*", "shop::Cart::Cart", False, True),
        ("_ZN4shop4CartC?E*", "shop::Cart::lose", False, False),
        ("_ZN4shop*", "shop::Cart::lose", False, True),
        ("_ZN4shop*", "store::Cart::lose", False, False),
        ("_Z*4shop*4lose*", "shop::Cart::lose", False, True),
        ("_Z*4shop4lose*", "shop::Cart::lose", False, False),
        ("_Z*4shop*4lose*", "shop::Cart::loser", False, False),
        ("_Z*4lose*", "shop::Cart::lose", False, True),
        ("_Z3cutRN4shop4CartE", "cut", False, True),
        ("lose", "shop::Cart::lose", True, True),
        ("lose", "shop::Cart::lose", False, False),
        ("make<double>", "shop::Cart::make<double>", True, True),
        ("_ZN5rust14main17h0123456789abcdefE", "rust1::main", False, True),
    ],
)
def test_what_fits(pattern: str, function: str, inlined: bool, fits: bool) -> None:
    assert fits_function(pattern, function, inlined) == fits


@pytest.mark.parametrize(
    ("function", "path", "inlined", "pattern"),
    [
        ("push", "/a/list.c", False, "fun:push"),
        ("push", "/a/list.cpp", False, "fun:*push*"),
        ("shop::Cart::lose(int)", "/a/cart.cpp", False, "fun:_Z*4shop*4Cart*4lose*"),
        ("shop::Cart::Cart", "/a/cart.cpp", False, "fun:_Z*4shop*4Cart*C?E*"),
        ("shop::Cart::~Cart", "/a/cart.cpp", False, "fun:_Z*4shop*4Cart*D?E*"),
        ("shop::Cart::lose", "/a/cart.cpp", True, "fun:lose"),
        ("main::{lambda(int)#1}::operator()", "/a/cart.cpp", False, "..."),
    ],
)
def test_what_is_written_fits(function: str, path: str, inlined: bool, pattern: str) -> None:
    place = Place(path, 1, function, "/a/out", 16)
    assert function_pattern(place, inlined, own=True) == pattern
    if pattern != "...":
        assert fits_function(pattern.removeprefix("fun:"), function, inlined)
