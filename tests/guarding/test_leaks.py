"""Which live blocks nothing refers to, when the program ends."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tests.conftest import Compile
from tests.guarding.guarding import Guard, line_of
from tests.support.programs import ROOT, program

INCLUDE = f"-I{ROOT / 'src/heapstory/include'}"
SOURCE = program("guarding/leaks.c")
LOST = ["a node", "half a ring", "large"]
UNSEEN = ["hidden", "in memory that is read only"]  # unless the program declares them


def lines(remarks: list[str]) -> set[int]:
    return {line_of(SOURCE, remark) for remark in remarks}


@pytest.mark.parametrize("flags", [("-O0",), ("-O1", "-no-pie"), ("-O2", "-fPIE", "-pie")])
def test_lost_blocks_are_found_and_no_others(
    flags: tuple[str, ...], compile_program: Compile, guard: Guard
) -> None:
    built = compile_program("guarding/leaks", *flags, INCLUDE)
    answer = guard(built)
    assert answer["returned"] == 3
    assert {found["kind"] for found in answer["findings"]} == {"leak"}
    assert {found["place"]["line"] for found in answer["findings"]} == lines([*LOST, *UNSEEN])
    declared = guard(built, "declare")
    assert {found["place"]["line"] for found in declared["findings"]} == lines(LOST)


def test_a_lost_list_is_one_block_and_what_it_refers_to(
    compile_program: Compile, guard: Guard
) -> None:
    found = guard(compile_program("guarding/leaks", "-O0", INCLUDE))["findings"]
    node = next(each for each in found if each["place"]["line"] == line_of(SOURCE, "a node"))
    assert node["text"] == "16 bytes in 1 block that nothing refers to"
    assert [each["function"] for each in node["block"]["allocated"][:2]] == ["list", "main"]


def test_the_same_blocks_as_memcheck_calls_definite(
    compile_program: Compile, guard: Guard, tmp_path: Path
) -> None:
    built = compile_program("guarding/leaks", "-O0", INCLUDE)
    log = tmp_path / "memcheck"
    words = ["valgrind", "--leak-check=full", "--show-leak-kinds=definite", f"--log-file={log}"]
    subprocess.run([*words, built], check=False)
    records = re.findall(
        r"are definitely lost in.*\n(?:.*\n)+?.*\(leaks\.c:(\d+)\)", log.read_text()
    )
    found = guard(built)["findings"]
    assert {int(line) for line in records} == {each["place"]["line"] for each in found}


def test_leaks_are_found_while_other_threads_run(compile_program: Compile, guard: Guard) -> None:
    source = """#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
static pthread_barrier_t ready;
static void *wait(void *unused) {
    void *volatile kept = malloc(200);
    pthread_barrier_wait(&ready);
    for (;;)
        pause();
    free(kept);
    return unused;
}
int main(void) {
    pthread_t thread;
    pthread_barrier_init(&ready, NULL, 2);
    pthread_create(&thread, NULL, wait, NULL);
    pthread_barrier_wait(&ready);
    usleep(100000);
    void *volatile lost = malloc(100);
    lost = NULL;
    return lost != NULL;
}
"""
    answer = guard(compile_program(source, "-O0", "-pthread"))
    assert [found["block"]["size"] for found in answer["findings"]] == [100]
    assert answer["scans"][-1]["certain"]


@pytest.mark.parametrize("flags", [("-O0",), ("-O2", "-no-pie"), ("-O1", "-fPIE", "-pie")])
def test_a_variable_of_numbers_keeps_no_block(
    flags: tuple[str, ...], compile_program: Compile, guard: Guard
) -> None:
    found = guard(compile_program("guarding/numbers", *flags))["findings"]
    assert sorted(each["block"]["size"] for each in found) == [101, 102, 103, 104, 105]


def test_without_debug_information_every_word_counts(
    compile_program: Compile, guard: Guard
) -> None:
    built = compile_program("guarding/numbers", "-O0")
    subprocess.run(["strip", built], check=True)
    assert guard(built)["findings"] == []


def test_variables_of_another_program_are_not_meant(compile_program: Compile, guard: Guard) -> None:
    outer = """#include <unistd.h>
int numbers[100000];
int main(int count, char **words) { return execv(words[1], words + 1); }
"""
    inner = """#include <stdlib.h>
static void *kept[50000];
int main(void) {
    for (int i = 0; i < 50000; i++)
        kept[i] = malloc(10);
    return 0;
}
"""
    one, other = compile_program(outer, "-no-pie"), compile_program(inner, "-no-pie")
    assert guard(one, other)["findings"] == []


def test_memory_that_was_never_touched_is_not_looked_at(
    compile_program: Compile, guard: Guard
) -> None:
    """A block is kept by one word in the middle of 32 GiB, of which the search makes no page."""
    source = """#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
static size_t size = (size_t)32 << 30;
int main(void) {
    char *all = mmap(NULL, size, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    void **kept = (void **)(all + size / 2);
    *kept = malloc(100);
    void *volatile lost = malloc(200);
    lost = malloc(300);
    lost = NULL;
    return all == MAP_FAILED;
}
"""
    answer = guard(compile_program(source, "-O0"))
    assert answer["returned"] == 0
    assert sorted(found["block"]["size"] for found in answer["findings"]) == [200, 300]
