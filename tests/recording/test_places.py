"""What record's options may name."""

from __future__ import annotations

import pytest

from heapstory.errors import UsageError
from heapstory.recording.places import check_function, check_place


@pytest.mark.parametrize(
    "text", ["push", "push#3", "push:exit", "list.c:12", "a/list.c:12#2", "ns::list::push:entry"]
)
def test_places(text: str) -> None:
    check_place("--from", text)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "missing"),
        (":", "missing"),
        (":12", "missing"),
        ("#3", "missing"),
        ("push#0", "counted from #1"),
        ("list.c:0", "counted from 1"),
    ],
)
def test_no_places(text: str, reason: str) -> None:
    with pytest.raises(UsageError, match=f"--cpoint {text}: .*{reason}"):
        check_place("--cpoint", text)


@pytest.mark.parametrize("text", ["get", "get:2", "get:1*2", "pool::get", "pool::get:3"])
def test_functions(text: str) -> None:
    check_function("--alloc-fn", text)


@pytest.mark.parametrize("text", ["", ":", ":2", "get:", "get:7", "get:0", "get:1*", "get:1*2*3"])
def test_no_functions(text: str) -> None:
    with pytest.raises(UsageError, match=r"numbered|missing"):
        check_function("--alloc-fn", text)
