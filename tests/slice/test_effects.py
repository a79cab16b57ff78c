# SPDX-License-Identifier: GPL-2.0-or-later
"""Slices through what no instruction of the program does: exactly the marked lines."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from heapstory import _core
from tests.conftest import Compile, Heapstory
from tests.slice.recorded import recorded
from tests.slice.test_lines import TOOL, stored
from tests.slice.test_recorded import fetched, last_store

# The criterion is the last store to `result`; a line of its slice ends in `// *`.
PROGRAMS = {
    "memcpy": r"""
#include <string.h>
struct pair { int left, right; };
int result;
int main(void) {
    struct pair from, to;
    from.left = 1;
    from.right = 2; // *
    memcpy(&to, &from, sizeof to); // *
    result = to.right; // *
    return 0;
}
""",
    "memset": r"""
#include <string.h>
int result;
int main(void) {
    char bytes[16];
    int what = 7; // *
    int where = 3;
    bytes[0] = 1;
    memset(bytes, what, sizeof bytes); // *
    bytes[where] = 2;
    result = bytes[0]; // *
    return 0;
}
""",
    "calloc": r"""
#include <stdlib.h>
int result;
int main(void) {
    int *cells = calloc(4, sizeof *cells); // *
    cells[0] = 5;
    result = cells[1]; // *
    return 0;
}
""",
    "realloc": r"""
#include <stdlib.h>
int result;
int main(void) {
    int *cells = malloc(4 * sizeof *cells); // *
    cells[1] = 7; // *
    cells[2] = 8;
    cells = realloc(cells, 100000); // *
    result = cells[1]; // *
    return 0;
}
""",
    "stpcpy": r"""
#define _GNU_SOURCE
#include <string.h>
int result;
int main(void) {
    char from[8], to[8];
    from[0] = 'a'; // *
    from[1] = 0; // *
    to[0] = 'b';
    char *end = stpcpy(to, from); // *
    result = end - to; // *
    return 0;
}
""",
    # The halves of a vector are written and read each by itself.
    "movlpd": r"""
int result;
int main(void) {
    double loaded, before[2], low, high;
    before[0] = 1;
    low = 2; // *
    high = 3;
    asm("movupd %3, %%xmm2; movlpd %1, %%xmm2; movhpd %2, %%xmm2;" // *
        "movsd %%xmm2, %0"
        : "=m"(loaded) : "m"(low), "m"(high), "m"(before) : "xmm1", "xmm2");
    result = loaded; // *
    return 0;
}
""",
    "movhpd": r"""
int result;
int main(void) {
    double loaded, before[2], low, high;
    before[0] = 1;
    low = 2;
    high = 3; // *
    asm("movupd %3, %%xmm2; movlpd %1, %%xmm2; movhpd %2, %%xmm2;" // *
        "movhpd %%xmm2, %0"
        : "=m"(loaded) : "m"(low), "m"(high), "m"(before) : "xmm1", "xmm2");
    result = loaded; // *
    return 0;
}
""",
    "movhlps": r"""
int result;
int main(void) {
    double loaded, before[2], low, high;
    before[0] = 1;
    low = 2;
    high = 3; // *
    asm("movupd %3, %%xmm2; movlpd %1, %%xmm2; movhpd %2, %%xmm2;" // *
        "movhlps %%xmm2, %%xmm1; movsd %%xmm1, %0"
        : "=m"(loaded) : "m"(low), "m"(high), "m"(before) : "xmm1", "xmm2");
    result = loaded; // *
    return 0;
}
""",
    "movlhps": r"""
int result;
int main(void) {
    double loaded, before[2], low, high;
    before[0] = 1;
    low = 2; // *
    high = 3;
    asm("movupd %3, %%xmm2; movlpd %1, %%xmm2; movhpd %2, %%xmm2;" // *
        "movlhps %%xmm2, %%xmm1; movhps %%xmm1, %0"
        : "=m"(loaded) : "m"(low), "m"(high), "m"(before) : "xmm1", "xmm2");
    result = loaded; // *
    return 0;
}
""",
    "unpckhpd": r"""
int result;
int main(void) {
    double loaded, before[2], low, high;
    before[0] = 1;
    low = 2;
    high = 3; // *
    asm("movupd %3, %%xmm2; movlpd %1, %%xmm2; movhpd %2, %%xmm2;" // *
        "xorpd %%xmm1, %%xmm1; unpckhpd %%xmm2, %%xmm1; movhpd %%xmm1, %0"
        : "=m"(loaded) : "m"(low), "m"(high), "m"(before) : "xmm1", "xmm2");
    result = loaded; // *
    return 0;
}
""",
    # Where strcat writes depends on how long the string is that it finds.
    "strcat": r"""
#include <string.h>
int result;
int main(void) {
    char text[8], more[2];
    text[0] = 'a'; // *
    text[1] = 0; // *
    text[2] = 'c';
    more[0] = 'x'; // *
    more[1] = 0;
    strcat(text, more); // *
    result = text[1]; // *
    return 0;
}
""",
    "strncat": r"""
#include <string.h>
int result;
int main(void) {
    char text[8], more[2];
    text[0] = 'a'; // *
    text[1] = 0; // *
    more[0] = 'x';
    more[1] = 0;
    strncat(text, more, 1); // *
    result = text[2]; // *
    return 0;
}
""",
    "system_call": r"""
#include <unistd.h>
int result;
int main(void) {
    int ends[2];
    char sent = 'x', got;
    pipe(ends); // *
    write(ends[1], &sent, 1);
    read(ends[0], &got, 1); // *
    result = got; // *
    return 0;
}
""",
    "signal": r"""
#include <signal.h>
int result, noise;
static void handler(int number) {
    noise = 3 * number;
}
int main(void) {
    int x = 3; // *
    signal(SIGUSR1, handler);
    raise(SIGUSR1);
    result = x + 4; // *
    return 0;
}
""",
    # Nothing of what the kernel hands over is used: the handler ran since the signal came there.
    "why_a_handler_ran": r"""
#include <signal.h>
int result, seen;
static void handler(int number) {
    seen += 5; // *
}
static void again(int number) {
    seen += 0;
}
int main(int argc, char **argv) { // *
    int unused = 7;
    signal(SIGUSR1, handler);
    signal(SIGUSR2, again);
    if (argc == 1) // *
        raise(SIGUSR1); // *
    unused += argc;
    result = seen; // *
    return unused & 0;
}
""",
    "why_a_handler_ran_at_a_fault": r"""
#include <setjmp.h>
#include <signal.h>
static jmp_buf there;
int result, seen;
static void handler(int number) {
    seen = 5; // *
    longjmp(there, 1); // *
}
int main(int argc, char **argv) {
    int *nothing = 0, unused = 7;
    signal(SIGSEGV, handler);
    if (!setjmp(there)) // *
        *nothing = unused; // *
    result = seen; // *
    return 0;
}
""",
    # The kernel hands the signal's number over in a register that was in use.
    "registers_at_a_signal": r"""
#define _GNU_SOURCE
#include <signal.h>
#include <ucontext.h>
int result, noise;
static void handler(int number, siginfo_t *info, void *context) {
    noise = 3 * number + (info != 0);
    ((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP] += 2;
}
int main(void) {
    struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};
    int x = 3; // *
    int y = 5;
    sigaction(SIGILL, &action, 0);
    asm volatile("ud2" : "+d"(x), "+S"(y)); // *
    result = x + 4; // *
    return 0;
}
""",
    # What counts is the branch before the allocation, not the one that looks at its result.
    "allocation_after_a_branch": r"""
#include <stdlib.h>
int result;
int main(void) {
    int first = 1, second = 2; // *
    int *cells = 0;
    if (first) // *
        cells = calloc(4, sizeof *cells); // *
    if (second)
        result = 1;
    result = cells[2]; // *
    return 0;
}
""",
}

# What a program that is checked asks the recorder to do for it: the lines of two prints' slices.
READERS = r"""
#include <stdio.h>
#include <string.h>
int main(void) {
    char one[4], other[4];
    one[0] = 'x'; // c
    one[1] = 0; // c
    one[2] = 0;
    other[0] = 'x'; // nc
    other[1] = 'y'; // nc
    other[2] = 0; // n
    int length = strlen(other); // n
    int order = strcmp(one, other); // c
    printf("%d\n", length); // n
    printf("%d\n", order); // c
    return 0;
}
"""

FLAGS = (
    "-O0",
    "-no-pie",
    "-fcf-protection=none",
    "-fno-builtin",
    "-fno-stack-protector",
    "-Wl,-z,now",
)


@pytest.mark.parametrize("name", PROGRAMS)
def test_exactly_the_marked_lines(name: str, compile_program: Compile, tmp_path: Path) -> None:
    text = PROGRAMS[name]
    # The dynamic linker does not come in between: what it does for one call serves the next.
    program = compile_program(text, *FLAGS)
    trace = recorded(program, tmp_path)
    slicer = _core.Slicer(trace)
    hits, _ = slicer.backward(last_store(trace, slicer, int(stored(program), 0)))
    places = [slicer.place(address) for (address,) in fetched(hits, "address")]
    found = {place[0]["line"] for place in places if place and place[0]["path"]}
    lines = text.splitlines()
    expected = {number for number, line in enumerate(lines, 1) if line.endswith("// *")}
    assert {lines[n - 1] for n in found if n} == {lines[n - 1] for n in expected}


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_lists_agree(name: str, compile_program: Compile, tmp_path: Path) -> None:
    """Also on what the loader and the library did."""
    program = compile_program(PROGRAMS[name], *FLAGS)
    trace = recorded(program, tmp_path)
    slicer = _core.Slicer(trace)
    place = last_store(trace, slicer, int(stored(program), 0))
    _, totals = slicer.backward(place, conventions=False)
    for found in slicer.by_lists(place, 100).values():
        assert found is not None and found["instructions"] == totals["instructions"]


@pytest.mark.parametrize("name", PROGRAMS)
def test_forward_is_the_reverse(name: str, compile_program: Compile, tmp_path: Path) -> None:
    """Compared with the graph of all dependences, byte by byte through copies."""
    recorded(compile_program(PROGRAMS[name], *FLAGS), tmp_path)
    command = [TOOL, "--forward", "6", str(len(name)), "--recorded", tmp_path / "stream.story"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr


def test_functions_that_only_read_in_a_checked_program(
    compile_program: Compile, heapstory: Heapstory, tmp_path: Path
) -> None:
    program = compile_program(READERS, *FLAGS)
    trace = tmp_path / "checked.story"
    assert heapstory("check", "--record", trace, "--stream", "--", program).returncode == 0
    lines = READERS.splitlines()
    for mark, text in (("n", "length); //"), ("c", "order); //")):
        (number,) = (at for at, line in enumerate(lines, 1) if text in line)
        source = Path(f"{program}.c").name
        done = heapstory("slice", trace, "--criterion", f"{source}:{number}", "--json")
        assert done.returncode == 0, done.stderr
        found = {one["line"] for one in json.loads(done.stdout)["statements"]}
        marked = {
            at for at, line in enumerate(lines, 1) if mark in line.partition("// ")[2].strip()
        }
        assert found == marked
