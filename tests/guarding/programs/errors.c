/* One mistake for each argument; every line that a finding should name says so. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *volatile kept[8]; /* so that none of them counts as a leak */
static unsigned kept_count;

static __attribute__((noinline)) char *make(size_t size) {
    char *volatile made = malloc(size); /* made here */
    kept[kept_count++] = made;
    return made;
}

static int global_array[16];

static void frees(const char *what) {
    char *block = make(24), local[32];
    if (!strcmp(what, "double-free")) {
        free(block); /* first free */
        free(block); /* double-free */
    } else if (!strcmp(what, "inside")) {
        free(block + 8); /* inside */
    } else if (!strcmp(what, "stack")) {
        free((void *)(((uintptr_t)local + 15) & ~(uintptr_t)15)); /* stack */
    } else if (!strcmp(what, "global")) {
        free(global_array); /* global */
    } else if (!strcmp(what, "bad-realloc")) {
        free(block);
        if (realloc(block, 100)) /* bad-realloc */
            abort();
    } else if (!strcmp(what, "squashed")) {
        for (int i = 0; i < 1000; i++)
            free(global_array); /* squashed */
    }
}

static void writes(const char *what) {
    char *volatile block = make(10); /* no store may be optimised away */
    if (!strcmp(what, "overrun")) {
        ((volatile char *)block)[10] = 'x';
        free(block); /* overrun */
    } else if (!strcmp(what, "underrun")) {
        ((volatile char *)block)[-2] = 'x';
        free(block); /* underrun */
    } else if (!strcmp(what, "still-live")) {
        ((volatile char *)block)[10] = 'x';
    } else if (!strcmp(what, "grown")) {
        ((volatile char *)block)[10] = 'x';
        block = realloc(block, 100); /* grown */
        free(block);
    } else if (!strcmp(what, "after-free")) {
        free(block); /* after-free */
        ((volatile char *)block)[3] = 'x';
    }
}

struct node {
    struct node *next, *previous;
};

/* Reading what is not there is undefined: an optimiser would leave the crash out. */
static __attribute__((optimize("O0"))) void crashes(const char *what) {
    struct node *node = malloc(sizeof *node), *other = malloc(sizeof *other); /* a node */
    if (!strcmp(what, "uninitialised"))
        node->next->next = other; /* uninitialised */
    free(node);                   /* node freed */
    if (!strcmp(what, "used-after-free"))
        node->next->previous = other; /* used-after-free */
    if (!strcmp(what, "abort"))
        abort();
    free(other);
}

#ifdef __cplusplus
static volatile int step; /* or the compiler makes one call of all these */

static void mismatches(const char *what) {
    int *volatile one = new int, *volatile many = new int[3];
    int *volatile made = (int *)malloc(sizeof *made);
    if (!strcmp(what, "free-of-new")) {
        free(one); /* free-of-new */
    } else if (!strcmp(what, "delete-of-array")) {
        delete many; /* delete-of-array */
        step = 1;
    } else if (!strcmp(what, "delete-of-malloc")) {
        delete made; /* delete-of-malloc */
        step = 2;
    } else if (!strcmp(what, "double-delete")) {
        delete one;
        delete one; /* double-delete */
        step = 3;
    }
}
#endif

int main(int count, char **words) {
    (void)count;
    frees(words[1]);
    writes(words[1]);
    crashes(words[1]);
#ifdef __cplusplus
    mismatches(words[1]);
#endif
    puts("the end");
    if (!strcmp(words[1], "_exit"))
        fflush(stdout), _exit(7);
    if (!strcmp(words[1], "quick_exit"))
        fflush(stdout), quick_exit(8);
    return 3;
}
