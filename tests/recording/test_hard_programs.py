"""Programs that do to their memory what few do: they are recorded to their own end."""

from __future__ import annotations

import heapstory as library
from tests.conftest import Compile, Record

EMPTY_FILES = """#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
int main(void) {
    for (int shared = 0; shared < 2; shared++) {
        int fd = memfd_create("empty", 0);
        int how = shared ? MAP_SHARED : MAP_PRIVATE;
        char *text = mmap(NULL, 8192, PROT_READ | PROT_WRITE, how, fd, 0);
        if (ftruncate(fd, 8192) != 0)
            return 1;
        strcpy(text, "here");
        if (ftruncate(fd, 0) != 0)
            return 2;
    }
    char *block = malloc(8);
    strcpy(block, "there");
    puts(block);
    return 5;
}
"""


def test_mappings_of_files_that_are_empty(compile_program: Compile, record: Record) -> None:
    with library.open(record(compile_program(EMPTY_FILES), status=5)) as trace:
        assert trace.complete and trace.info().exit_code == 5
