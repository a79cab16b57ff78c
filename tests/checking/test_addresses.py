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
FAR = """\
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
static sigjmp_buf back;
static char bytes[8];
static long words[8];
volatile long seen, place = 1l << 59, size = -1, large = 0x4567890123456789;
char *volatile first, *volatile second;
static void caught(int signal) { siglongjmp(back, 1); }
static __attribute__((noinline)) void go_wrong(int how) {
    if (sigsetjmp(back, 1))
        return;
    switch (how) {
    case 0: seen = words[place]; break;
    case 1: words[place] = how; break;
    case 2: seen = *(long *)size; break;
    case 3: seen = *(long *)(bytes + (place << 3)); break;
    case 4: memcpy(first, second, size); break;
    case 5: memmove(first, second, large); break;
    case 6: memset(second, 0, size); break;
    case 7: seen = memcmp(first, second, size); break;
    }
}
int main(void) {
    signal(SIGSEGV, caught);
    first = calloc(1, 100);
    second = calloc(1, 100);
    for (int how = 0; how < 8; how++)
        go_wrong(how);
    return 3;
}
"""
CODE = """\
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <valgrind/memcheck.h>
static sigjmp_buf back;
static void caught(int signal) { siglongjmp(back, 1); }
static __attribute__((noinline)) int call(int (*code)(void), int how) {
    if (sigsetjmp(back, 1))
        return 0;
    switch (how) {
    case 0: return code();
    case 1: return 1 + code();
    default: return 2 + code();
    }
}
static void *block(void) {
    char *made = aligned_alloc(4096, 4096);
    mprotect(made, 4096, PROT_READ | PROT_WRITE | PROT_EXEC);
    return made;
}
int main(void) {
    static const char code[] = "\\xb8\\x07\\0\\0\\0\\xc3"; /* return 7 */
    char *set = block(), *unset = block(), *freed = block();
    signal(SIGSEGV, caught);
    signal(SIGILL, caught);
    signal(SIGTRAP, caught);
    memcpy(set, code, sizeof code);
    memcpy(unset, code, sizeof code);
    VALGRIND_MAKE_MEM_UNDEFINED(unset, sizeof code);
    memcpy(freed, code, sizeof code);
    free(freed);
    int done = call((int (*)(void))set, 0);
    call((int (*)(void))unset, 1);
    call((int (*)(void))freed, 2);
    free(set);
    free(unset);
    return done;
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


@pytest.mark.parametrize("options", [(), ("--light",)])
@pytest.mark.parametrize("flag", ["-O0", "-O2"])
def test_indexes_and_sizes_that_lead_out_of_the_address_space(
    options: tuple[str, ...], flag: str, compile_program: Compile, check: Check
) -> None:
    answer = check(compile_program(FAR, flag, "-w", "-fno-builtin"), options=options)
    assert answer["returned"] == 3
    read, written = "InvalidRead", "InvalidWrite"
    sizes = {(kind, line) for kind in (read, written) for line in (19, 20)}
    sizes |= {(written, 21), (read, 22)}
    indexes = {(read, 15), (written, 16), (read, 17), (read, 18)}
    told = {error["place"]["line"]: error for error in reversed(answer["errors"])}
    if options:  # light code does not keep the registers that an address comes from
        assert sizes <= lines(answer) <= sizes | indexes
    else:
        assert lines(answer) == sizes | indexes
        assert int(told[17]["address"], 16) == (1 << 64) - 1
        assert int(told[16]["address"], 16) >> 60 == 0x4
    assert told[19]["block"]["size"] == told[20]["block"]["size"] == 100


def test_code_in_blocks(compile_program: Compile, check: Check) -> None:
    answer = check(compile_program(CODE, "-w", "-fno-builtin"))
    assert answer["returned"] == 7
    assert lines(answer) == {("UninitCondition", 14), ("InvalidRead", 15)}


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
