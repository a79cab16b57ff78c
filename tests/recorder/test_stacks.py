# SPDX-License-Identifier: GPL-2.0-or-later
"""Stacks that are blocks or variables are recorded as these are; others are not."""

from collections.abc import Callable

import pytest

from tests.recorder.recorder import Memory, Result

Run = Callable[..., Result]


@pytest.mark.parametrize(
    ("what", "names"),
    [
        ("coroutine", ["swapcontext", "again"]),
        ("variable", ["swapcontext", "again"]),
        ("branch", ["branch"]),
        ("signal", ["sigaltstack"]),
        ("thread", ["thread"]),
    ],
)
def test_what_is_kept_on_a_recorded_stack(run: Run, what: str, names: list[str]) -> None:
    result = run("recorder/stacks.c", what, flags=("-pthread",))
    assert result.status == 0
    lines = [line.split() for line in result.output.splitlines()]
    assert [line[0] for line in lines] == names
    for _, address, data in lines:
        assert seen(result, int(address, 16), bytes.fromhex(data))


def test_other_stacks_are_not_recorded(run: Run) -> None:
    result = run("recorder/stacks.c", "mapped", flags=("-pthread",))
    low = min(int(line.split()[1], 16) for line in result.output.splitlines())
    assert not [r for r in result.records if r.tag == "STORE" and low - 4096 < r.address < low + 64]


def seen(result: Result, address: int, data: bytes) -> bool:
    """Whether memory held these bytes at some moment of the recording."""
    memory = Memory()
    for record in result.records:
        memory.apply(record)
        near = record.tag == "STORE" and address <= record.address < address + len(data)
        if near and [memory.bytes.get(address + i) for i in range(len(data))] == list(data):
            return True
    return False
