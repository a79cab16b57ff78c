# SPDX-License-Identifier: GPL-2.0-or-later
"""Code that is replaced by other code at the same address: each has its own branches."""

from __future__ import annotations

from pathlib import Path

from heapstory import _core
from tests.conftest import Compile
from tests.slice.recorded import recorded
from tests.slice.test_lines import stored
from tests.slice.test_recorded import fetched, last_store

BASE = 0x10000000
# First `return x ? 1 : 0` with a branch, then `return x + 2` without one.
PROGRAM = r"""
#include <string.h>
#include <sys/mman.h>
int result;
static const unsigned char branches[] = {
    0x31, 0xc0,                   // 0: xor %eax, %eax
    0x85, 0xff,                   // 2: test %edi, %edi
    0x74, 0x05,                   // 4: je 11
    0xb8, 0x01, 0x00, 0x00, 0x00, // 6: mov $1, %eax
    0xc3                          // 11: ret
};
static const unsigned char adds[] = {
    0x89, 0xf8,       // 0: mov %edi, %eax
    0x90, 0x90,       // 2: nop, nop
    0x90, 0x90,       // 4: nop, nop
    0x83, 0xc0, 0x02, // 6: add $2, %eax
    0x90, 0x90,       // 9: nop, nop
    0xc3              // 11: ret
};
int main(int argc, char **argv) {
    (void)argv;
    void *page = mmap((void *)0x10000000, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    int (*made)(int) = page;
    memcpy(page, branches, sizeof branches);
    int first = made(argc) + made(0);
    memcpy(page, adds, sizeof adds);
    int second = made(argc + 4);
    result = argc > 1 ? first : second;
    if (argc > 2)
        return first;
    memcpy(page, branches, sizeof branches);
    result = made(argc) + second;
    return 0;
}
"""


def test_each_code_has_its_own_branches(compile_program: Compile, tmp_path: Path) -> None:
    program = compile_program(PROGRAM, "-O0", "-no-pie", "-fcf-protection=none")
    trace = recorded(program, tmp_path)
    slicer = _core.Slicer(trace)
    hits, _ = slicer.backward(last_store(trace, slicer, int(stored(program), 0)))
    found: dict[int, int] = {}
    for address, count in fetched(hits, "address, count"):
        if BASE <= address < BASE + 4096:
            found[address - BASE] = found.get(address - BASE, 0) + count
    # Of the first code the test, the branch and what it decided; of the second the two that count.
    assert found == {0: 1, 2: 1, 4: 1, 6: 2}
