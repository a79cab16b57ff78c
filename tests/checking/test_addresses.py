"""Pointers that are NULL, and texts that overlap, as Memcheck has them."""

from __future__ import annotations

import pytest

from tests.checking.checking import Check, Memcheck, lines
from tests.conftest import Compile

NULL = """\
#include <stddef.h>
struct pair { int first, second; };
struct pair *volatile none;
volatile int seen;
int main(int argc, char **argv) {
    if (argc == 1)
        seen = none->second;
    none->second = argc;
    return 0;
}
"""
JOINED = """\
#include <stdlib.h>
#include <string.h>
int main(void) {
    char *text = calloc(1, 64);
    strcpy(text, "one two");
    strncat(text, text + 4, 2);
    free(text);
    return 0;
}
"""


@pytest.mark.parametrize("arguments", [(), ("write",)])
@pytest.mark.parametrize("flag", ["-O0", "-O2"])
def test_null_is_told_before_the_crash(
    arguments: tuple[str, ...],
    flag: str,
    compile_program: Compile,
    check: Check,
    memcheck: Memcheck,
) -> None:
    built = compile_program(NULL, flag)
    answer = check(built, *arguments)
    assert lines(answer) == {("InvalidWrite", 8) if arguments else ("InvalidRead", 7)}
    assert lines(answer) == memcheck(built, *arguments)
    assert answer["errors"][0]["address"] == "0x4"
    assert answer["returned"] == 128 + 11


def test_a_text_is_joined_with_a_part_of_itself(
    compile_program: Compile, check: Check, memcheck: Memcheck
) -> None:
    built = compile_program(JOINED, "-fno-builtin", "-w")
    assert lines(check(built)) == {("Overlap", 6)} == memcheck(built)
