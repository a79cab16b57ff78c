# SPDX-License-Identifier: GPL-2.0-or-later
"""What system calls write: all of it is recorded, of calls that Valgrind tells of and of others."""

import re
from collections.abc import Callable

from tests.recorder.recorder import Memory, Result

Run = Callable[..., Result]


def test_memory_that_system_calls_wrote(run: Run) -> None:
    result = run("recorder/system_calls.c")
    assert result.status == 0
    memory = Memory(result.records)
    shown = re.findall(r"^(wrote|left) (.+) 0x(\w+) (\w+)(?: errno=\d+)?$", result.output, re.M)
    names = {name for _, name, _, _ in shown}
    assert len(names) > 90
    wrong = {
        name
        for _, name, address, data in shown
        if memory.read(int(address, 16), len(data) // 2) != bytes.fromhex(data)
    }
    assert wrong == set()
    assert names - {name for wrote, name, _, _ in shown if wrote == "wrote"} == set()
