# SPDX-License-Identifier: GPL-2.0-or-later
"""What system calls write: all of it is recorded, of calls that Valgrind tells of and of others."""

import re
from collections.abc import Callable

from tests.recorder.recorder import Memory, Result

Run = Callable[..., Result]
_SHOWN = re.compile(r"^(wrote|left) (.+) 0x(\w+) (\w+)(?: errno=\d+)?$", re.M)


def shown_by(result: Result) -> tuple[set[str], set[str], set[str]]:
    """The names of all cases, of those that wrote something, and of those recorded wrongly."""
    assert result.status == 0
    memory = Memory(result.records)
    shown = _SHOWN.findall(result.output)
    wrong = {
        name
        for _, name, address, data in shown
        if memory.read(int(address, 16), len(data) // 2) != bytes.fromhex(data)
    }
    wrote = {name for what, name, _, _ in shown if what == "wrote"}
    return {name for _, name, _, _ in shown}, wrote, wrong


def test_memory_that_system_calls_wrote(run: Run) -> None:
    names, wrote, wrong = shown_by(run("recorder/system_calls.c"))
    assert len(names) > 90
    assert wrong == set()
    assert names - wrote == set()


def test_calls_that_few_programs_make(run: Run) -> None:
    names, wrote, wrong = shown_by(run("recorder/rare_calls.c", flags=("-lrt",)))
    assert len(names) > 40
    assert wrong == set()
    assert names - wrote <= MAY_BE_REFUSED


MAY_BE_REFUSED = {  # by containers, or by kernels without them
    "getgroups",
    "get_mempolicy",
    "ioctl PERF_EVENT_IOC_ID",
    "ioctl SIOCGIFCONF",
    "keyctl describe",
    "keyctl read",
    "keyctl security",
    "move_pages",
    "mq_getsetattr",
    "mq_timedreceive",
    "name_to_handle_at",
    "ptrace GETREGS",
    "ptrace GETREGSET",
    "ptrace GETSIGINFO",
    "ptrace PEEKDATA",
    "pwrite64 of memory",
    "process_vm_writev",
    "read perf",
    "ioctl SIOCGIFFLAGS",
    "ioctl SIOCGIFTXQLEN",
}
