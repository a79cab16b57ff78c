"""What is left at the end, beside Memcheck's counts."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tests.checking.checking import Check, line_of
from tests.conftest import Compile
from tests.support.programs import program

SOURCE = program("checking/leaks.c")
# Memcheck counts what a possibly lost block leads to as possibly lost.
SAME = {
    "definitely lost": ("leak",),
    "indirectly lost": ("indirect-leak",),
    "possibly lost": ("possible-leak", "possible-indirect-leak"),
    "still reachable": ("reachable",),
}


@pytest.mark.parametrize("flags", ["-O0", "-O2"])
def test_counts_are_those_of_memcheck(flags: str, compile_program: Compile, check: Check) -> None:
    built = compile_program("checking/leaks", flags)
    heap = check(built)["summary"]["heap"]
    command = ["valgrind", "--leak-check=full", "--show-leak-kinds=all", built]
    said = subprocess.run(command, capture_output=True, text=True, timeout=120).stderr
    for words, kinds in SAME.items():
        counted = re.search(rf"{words}: ([\d,]+) bytes in ([\d,]+) blocks", said)
        assert counted, said
        theirs = [int(text.replace(",", "")) for text in counted.groups()]
        ours = [sum(heap[kind][what] for kind in kinds) for what in ("bytes", "blocks")]
        assert (words, ours) == (words, theirs)


def test_leaks_have_the_allocation(compile_program: Compile, check: Check) -> None:
    answer = check(compile_program("checking/leaks"))
    leaks = {(leak["kind"], leak["place"]["line"]): leak for leak in answer["leaks"]}
    lost = leaks["leak", line_of(SOURCE, "lost")]
    assert (lost["bytes"], lost["blocks"]) == (100, 1)
    assert [place["function"] for place in lost["stack"]][:2] == ["lose", "main"]
    assert leaks["possible-leak", line_of(SOURCE, "middle")]["bytes"] == 200
    assert ("possible-indirect-leak", line_of(SOURCE, "found by middle alone")) in leaks
    assert ("reachable", line_of(SOURCE, "of a thread")) in leaks
    assert sum(leak["blocks"] for leak in answer["leaks"] if leak["kind"] == "leak") == 3
    assert answer["summary"]["leaks"] == len(
        [leak for leak in answer["leaks"] if leak["kind"] in ("leak", "possible-leak")]
    )


def test_a_recording_gives_the_same_answer(
    compile_program: Compile, check: Check, tmp_path: object
) -> None:
    built = compile_program("checking/leaks")
    recorded = check(built, options=("--record", f"{tmp_path}/leaks.story"))
    assert recorded["summary"]["heap"] == check(built)["summary"]["heap"]


LOST = """\
#include <stdlib.h>

int main(void) {
    for (int i = 0; i < 1000; i++)
        if (!malloc(1))
            return 1;
    return 0;
}
"""


def test_all_is_lost_where_nothing_refers_to_the_heap(
    compile_program: Compile, check: Check
) -> None:
    answer = check(compile_program(LOST))
    assert "leaks at the end" in answer["summary"]["checked"]
    heap = answer["summary"]["heap"]
    assert heap["leak"]["blocks"] + heap["reachable"]["blocks"] == 1000
    assert heap["leak"]["blocks"] >= 999  # a register may still hold the last one


STALE = """\
#include <stdlib.h>
char **kept;
static __attribute__((noinline)) void lose(void) {
    char **first = malloc(64);
    first[3] = malloc(40);
    free(first);
}
static __attribute__((noinline)) void forget(void) {
    char *volatile words[20];
    for (int i = 0; i < 20; i++)
        words[i] = 0;
    words[10] = malloc(30);
}
int main(void) {
    lose();
    kept = malloc(64); /* where `first` was */
    kept[0] = 0;
    forget();
    return 0;
}
"""


def test_words_of_an_earlier_use_of_the_memory_hold_nothing(
    compile_program: Compile, check: Check
) -> None:
    answer = check(compile_program(STALE), options=("--delay", "0"))
    lost = {leak["bytes"] for leak in answer["leaks"] if leak["kind"] == "leak"}
    assert lost == {40, 30}


DIVIDED = """\
#include <stdlib.h>
#include <valgrind/valgrind.h>
char *inner, *other;
int main(void) {
    char *block = malloc(1000);
    inner = block + 100; /* all that leads to it */
    VALGRIND_MALLOCLIKE_BLOCK(block + 100, 32, 0, 1);
    VALGRIND_MALLOCLIKE_BLOCK(block + 300, 64, 0, 1);
    other = malloc(500) + 8;
    return 0;
}
"""


def test_parts_that_are_blocks_count_in_place_of_the_whole(
    compile_program: Compile, check: Check
) -> None:
    heap = check(compile_program(DIVIDED, "-w"))["summary"]["heap"]
    assert (heap["leak"]["bytes"], heap["reachable"]["bytes"]) == (64, 32)
    assert heap["possible-leak"]["bytes"] == 500


UNREADABLE = """\
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
char **first, **second;
static __attribute__((noinline)) void lose(void) {
    memset(malloc(77), 0, 77);
}
int main(void) {
    if (posix_memalign((void **)&first, 4096, 3 * 4096))
        return 1;
    memset(first, 0, 3 * 4096);
    first[0] = malloc(10);
    first[600] = malloc(20); /* nobody can read it any more */
    first[1100] = malloc(30);
    second = calloc(9, 8);
    second[8] = malloc(40);
    mprotect(first + 512, 4096, PROT_NONE);
    lose();
    return 0;
}
"""


@pytest.mark.parametrize("option", ["--no-heuristics", "--light", "--record"])
def test_pages_that_cannot_be_read(
    option: str, compile_program: Compile, check: Check, tmp_path: Path
) -> None:
    options = (option, f"{tmp_path}/trace.story") if option == "--record" else (option,)
    heap = {
        (leak["kind"], leak["bytes"])
        for leak in check(compile_program(UNREADABLE), options=options)["leaks"]
    }
    # The recording knows what was stored there.
    hidden = "reachable" if option == "--record" else "leak"
    assert heap == {
        ("leak", 77), (hidden, 20), ("reachable", 3 * 4096), ("reachable", 72),
        ("reachable", 10), ("reachable", 30), ("reachable", 40),
    }  # fmt: skip


PROTECTED = """\
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
int main(void) {
    char *p;
    for (int i = 0; i < 9; i++) {
        if (posix_memalign((void **)&p, 4096, 4096))
            return 1;
        mprotect(p, 4096, i % 2 ? PROT_NONE : PROT_READ);
        free(p);
        free(calloc(1, 4096 + 5000));
    }
    return 0;
}
"""


@pytest.mark.parametrize("option", ["--no-heuristics", "--light"])
def test_protected_memory_is_not_used_again(
    option: str, compile_program: Compile, check: Check
) -> None:
    answer = check(compile_program(PROTECTED), options=(option, "--delay", "0"))
    assert (answer["returned"], answer["errors"], answer["leaks"]) == (0, [], [])


# Of a pool in variables: what its blocks hold, and what lies beside them.
POOL = """\
#include <stdlib.h>
#include <valgrind/memcheck.h>
char *before, *lost;
static char pool[512] __attribute__((aligned(16)));
char *after, **block;
int main(void) {
    before = malloc(10);
    after = malloc(20);
    VALGRIND_MALLOCLIKE_BLOCK(pool + 64, 64, 16, 1); /* told */
    VALGRIND_MALLOCLIKE_BLOCK(pool + 256, 32, 16, 1); /* lost */
    block = (char **)(pool + 64);
    block[1] = malloc(30);
    block[2] = (char *)malloc(40) + 4;
    *(char **)(pool + 256) = malloc(50);
    *(char **)(pool + 192) = malloc(60);
    VALGRIND_MALLOCLIKE_BLOCK(pool + 384, 32, 16, 1);
    *(char **)(pool + 392) = malloc(70);
    VALGRIND_FREELIKE_BLOCK(pool + 384, 16);
    return 0;
}
"""


@pytest.mark.parametrize("option", ["--no-heuristics", "--light"])
def test_blocks_of_a_pool_in_variables(option: str, compile_program: Compile, check: Check) -> None:
    built = compile_program(POOL, "-w")
    answer = check(built, options=(option,))
    found = {(leak["kind"], leak["bytes"]): leak["place"]["line"] for leak in answer["leaks"]}
    assert set(found) == {
        ("reachable", 10), ("reachable", 20), ("reachable", 30), ("possible-leak", 40),
        ("reachable", 64), ("leak", 32), ("indirect-leak", 50), ("reachable", 60), ("leak", 70),
    }  # fmt: skip
    assert found["reachable", 64] == 1 + POOL.splitlines().index(
        "    VALGRIND_MALLOCLIKE_BLOCK(pool + 64, 64, 16, 1); /* told */"
    )


LIGHT_STALE = """\
#include <stdlib.h>
#include <string.h>
char **kept, **large;
static __attribute__((noinline)) void lose(size_t size, size_t n) {
    char **first = malloc(size);
    first[size / 16] = malloc(n);
    free(first);
    memset(alloca(1000), 0, 1000);
}
int main(void) {
    lose(64, 40);
    kept = malloc(64); /* where the first was */
    lose(500000, 50);
    large = malloc(500000);
    return 0;
}
"""


def test_light_finds_no_pointers_of_an_earlier_use(compile_program: Compile, check: Check) -> None:
    answer = check(compile_program(LIGHT_STALE, "-w"), options=("--light", "--delay", "0"))
    lost = {leak["bytes"] for leak in answer["leaks"] if leak["kind"] == "leak"}
    assert lost == {40, 50}


UNDEFINED_LATER = """\
#include <stdlib.h>
#include <sys/mman.h>
#include <valgrind/memcheck.h>
char **kept;
int main(void) {
    if (posix_memalign((void **)&kept, 4096, 3 * 4096))
        return 1;
    kept[1] = malloc(10);
    kept[2] = malloc(20);
    kept[600] = malloc(30);
    VALGRIND_DO_LEAK_CHECK;
    VALGRIND_MAKE_MEM_UNDEFINED(&kept[2], 8);
    mprotect(kept + 512, 4096, PROT_NONE);
    return 0;
}
"""


def test_what_an_earlier_search_has_seen_is_gone(compile_program: Compile, check: Check) -> None:
    answer = check(compile_program(UNDEFINED_LATER, "-w"))
    assert [scan["heap"]["leak"]["blocks"] for scan in answer["scans"]] == [0]
    lost = {leak["bytes"] for leak in answer["leaks"] if leak["kind"] == "leak"}
    assert lost == {20, 30}


def _library(compile_program: Compile) -> Path:
    source = "static __thread char *kept;\nvoid set(char *block) { kept = block; }\n"
    return compile_program(source, "-shared", "-fPIC")


@pytest.mark.parametrize("option", ["--no-heuristics", "--light"])
def test_variables_end_with_their_thread(
    option: str, compile_program: Compile, check: Check
) -> None:
    library = _library(compile_program)
    answer = check(compile_program("checking/ended"), library, options=(option,))
    assert answer["returned"] == 0
    found = {leak["bytes"]: leak["kind"] for leak in answer["leaks"]}
    lines = program("checking/ended.c").read_text().splitlines()
    stands = (re.search(r"malloc\((\d+)\).*/\* (\S+) \*/", line) for line in lines)
    expected = {int(each[1]): each[2] for each in stands if each}
    assert len(expected) == 10
    assert {size: found.get(size) for size in expected} == expected
