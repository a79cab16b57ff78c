/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sections, C-points, named roots, custom allocators; the tests name lines by their comments. */
#include "truth.h"
#include <heapstory.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

struct node {
    struct node *next;
    long value;
};
static struct node *head;
static char arena[65536];
static size_t used;
static jmp_buf jump;

__attribute__((noinline)) static void push(long value) {
    struct node *node = malloc(sizeof *node);
    node->value = value; /* LINE push */
    node->next = head;
    head = node;
}

__attribute__((noinline)) static void work(long round) {
    push(round * 10);
    push(round * 10 + 1);
}

__attribute__((noinline)) static void finish(void) { __asm__ volatile("" ::: "memory"); }

__attribute__((noinline)) void *pool_alloc(const char *label, size_t count, size_t size) {
    char *p = arena + used;
    if (label[0] == 'j')
        longjmp(jump, 1);
    used += (count * size + 15) & ~15ul;
    if (label[0] == 'r') { /* recursive */
        char *inner = pool_alloc("x", 1, 8);
        inner[0] = 1;
    }
    return p;
}

__attribute__((noinline)) void *wrapped(size_t size) {
    void *p = malloc(size);
    if (!p)
        abort();
    return p;
}

__attribute__((noinline)) void pool_free(void *p) { __asm__ volatile("" ::"r"(p) : "memory"); }

__attribute__((noinline)) static void customs(void) {
    char *p = pool_alloc("p", 3, 10);
    p[1] = 'y';
    char *r = pool_alloc("r", 1, 100);
    if (!setjmp(jump))
        pool_alloc("jump", 1, 1);
    char *w = wrapped(33);
    w[0] = 'z';
    printf("custom %p %p %p\n", p, r, w);
    pool_free(p);
    free(w);
}

int main(int count, char **words) {
    HEAPSTORY_ROOT(&head, "the list");
    for (long round = 1; round <= 4; round++) {
        work(round);
        HEAPSTORY_CPOINT("round");
    }
    finish();
    push(99);
    customs();
    printf("recording %d\n", HEAPSTORY_RECORDING());
    for (struct node *node = head; node; node = node->next)
        truth_bytes("block", node, sizeof *node);
    truth_bytes("global", &head, sizeof head);
    return 0;
}
