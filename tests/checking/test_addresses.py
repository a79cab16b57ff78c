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
WILD = """\
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
struct node { struct node *next; int value; double real; char text[40]; };
static sigjmp_buf back;
volatile int seen;
static void caught(int signal) { siglongjmp(back, 1); }
static __attribute__((noinline)) void go_wrong(struct node *wild, int how) {
    if (sigsetjmp(back, 1))
        return;
    switch (how) {
    case 0: seen = wild->value; break;
    case 1: wild->value = how; break;
    case 2: wild->real = 2.5; break;
    case 3: wild->value += how; break;
    case 4: memset(wild->text, 0, sizeof wild->text); break;
    case 5: ((int (*)(void))wild)(); break;
    }
}
int main(int argc, char **argv) {
    signal(SIGSEGV, caught);
    for (int how = 0; how < 6; how++)
        go_wrong((struct node *)(argc == 1 ? 0x1234567000 : 0x4141414141414140), how);
    return 3;
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


@pytest.mark.parametrize("arguments", [(), ("no processor has such an address",)])
@pytest.mark.parametrize("flag", ["-O0", "-O2"])
def test_wild_pointers_are_told_beside_the_fault(
    arguments: tuple[str, ...],
    flag: str,
    compile_program: Compile,
    check: Check,
    memcheck: Memcheck,
) -> None:
    built = compile_program(WILD, flag, "-w")
    answer = check(built, *arguments)
    jumped = {("InvalidRead", 18)}
    theirs = {(kind, line) for kind, line in memcheck(built, *arguments) if kind != "InvalidJump"}
    assert {line for _, line in theirs} == {13, 14, 15, 16, 17}
    assert lines(answer) - jumped == theirs
    assert lines(answer) & jumped
    assert all(error["address"][:6] in ("0x1234", "0x4141") for error in answer["errors"])
    assert answer["returned"] == 3


def test_the_signal_that_ended_the_program_is_told(compile_program: Compile, check: Check) -> None:
    built = compile_program("int main(int n, char **v) {\n    return 7 / (n - 1);\n}\n")
    answer = check(built)
    assert answer["errors"] == []
    assert answer["summary"]["crash"].startswith("SIGFPE at ")
    assert answer["summary"]["crash"].endswith(":2")


def test_a_text_is_joined_with_a_part_of_itself(
    compile_program: Compile, check: Check, memcheck: Memcheck
) -> None:
    built = compile_program(JOINED, "-fno-builtin", "-w")
    assert lines(check(built)) == {("Overlap", 6)} == memcheck(built)
