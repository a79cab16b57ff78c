"""Lost is only what nothing refers to: not from a stack, a variable, a thread or mapped memory."""

from __future__ import annotations

import pytest

import heapstory as library
from tests.conftest import Compile, Record

HOLDERS = {
    "thread-local": "static __thread struct node *holder; holder = new;",
    "setspecific": "pthread_key_t key; pthread_key_create(&key, NULL); "
    "pthread_setspecific(key, new);",
    "many keys": "pthread_key_t key; for (int i = 0; i < 100; i++) "
    "pthread_key_create(&key, NULL); pthread_setspecific(key, new);",
    "anonymous": "*(struct node **)mmap(NULL, 8192, PROT_READ | PROT_WRITE, "
    "MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) = new;",
    "shared": "*(struct node **)mmap(NULL, 8192, PROT_READ | PROT_WRITE, "
    "MAP_SHARED | MAP_ANONYMOUS, -1, 0) = new;",
    "file": 'int fd = memfd_create("x", 0); if (ftruncate(fd, 100)) return 9; '
    "*(struct node **)mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) = new;",
    "system V": "*(struct node **)shmat(shmget(IPC_PRIVATE, 4096, 0600), NULL, 0) = new;",
    "brk": "*(struct node **)sbrk(4096) = new;",
    "read-only": "struct node **page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, "
    "MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); *page = new; mprotect(page, 4096, PROT_READ);",
}

PROGRAM = """#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <unistd.h>
struct node {{ struct node *next; long value; }};
__attribute__((noinline)) static int hold(void) {{
    struct node *new = malloc(40);
    new->next = malloc(48);
    {holder}
    return 0;
}}
__attribute__((noinline)) static int lose(void) {{
    struct node *new = malloc(56);
    new->value = 1;
    return 0;
}}
__attribute__((noinline)) static int wipe(void) {{
    volatile char stack[4096];
    for (unsigned i = 0; i < sizeof stack; i++)
        stack[i] = 0;
    return stack[7];
}}
int main(void) {{
    int failed = hold() + lose() + wipe();
    __asm__ volatile("xor %%eax, %%eax; xor %%edx, %%edx; xor %%ecx, %%ecx; xor %%esi, %%esi;"
                     "xor %%r8d, %%r8d" ::: "rax", "rdx", "rcx", "rsi", "r8");
    _exit(failed);
}}
"""


@pytest.mark.parametrize("holder", HOLDERS)
def test_what_is_held_is_not_lost(compile_program: Compile, record: Record, holder: str) -> None:
    program = compile_program(PROGRAM.format(holder=HOLDERS[holder]), "-pthread")
    with library.open(record(program)) as trace:
        lost = {node.size: node.lost for node in trace.graph().nodes if node.kind == "heap"}
        assert {size: lost[size] for size in (40, 48, 56)} == {40: False, 48: False, 56: True}


def test_too_much_memory_to_look_at(compile_program: Compile, record: Record) -> None:
    holder = (
        "*(struct node **)mmap(NULL, 2ul << 30, PROT_READ | PROT_WRITE, "
        "MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) = new;"
    )
    program = compile_program(PROGRAM.format(holder=holder), "-pthread")
    with library.open(record(program)) as trace:
        assert {node.lost for node in trace.graph().nodes} == {None}
