/* Heap buffer overflows, one per argument: a buffer on the heap, and what an attacker wants to
 * overwrite in the block behind it (or, in a vulnerable struct, in the same block). The victim is
 * not used afterwards: what counts is the write. `buffer ADDRESS SIZE` and `victim ADDRESS SIZE`. */
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone))
#define SIZE 64
#define REACH (SIZE + 40) /* far enough for the block behind, whatever lies between */

typedef void function(void);

struct frame { /* what a heap-allocated frame or context keeps */
    void *base_pointer;
    void *return_address;
    function *handler;
    long pad[3];
};

struct vulnerable {
    char buffer[SIZE];
    function *handler;
};

static char long_text[2 * REACH];
static volatile size_t reach = REACH;
static FILE *file;

static void nothing(void) {
}

static NOINLINE void copy_by_index(char *to, const char *from, size_t n) {
    for (size_t i = 0; i < n; i++)
        to[i] = (char)(from[i] + 1);
}

static NOINLINE void fill_by_walking(volatile char *at, volatile char *end) {
    while (at != end)
        *at++ = 'x';
}

static NOINLINE void run(const char *form, char *buffer, struct frame *victim) {
    buffer[0] = 0;
    victim->base_pointer = &victim;
    victim->return_address = __builtin_return_address(0);
    victim->handler = nothing;
    if (strcmp(form, "return-memcpy") == 0 || strcmp(form, "function-memcpy") == 0)
        memcpy(buffer, long_text, reach);
    else if (strcmp(form, "base-strcpy") == 0 || strcmp(form, "function-strcpy") == 0)
        strcpy(buffer, long_text);
    else if (strcmp(form, "base-strncpy") == 0)
        strncpy(buffer, long_text, reach);
    else if (strcmp(form, "function-sprintf") == 0)
        sprintf(buffer, "%s", long_text);
    else if (strcmp(form, "function-snprintf") == 0)
        snprintf(buffer, reach, "%s", long_text);
    else if (strcmp(form, "function-strcat") == 0)
        strcat(buffer, long_text);
    else if (strcmp(form, "function-strncat") == 0)
        strncat(buffer, long_text, reach);
    else if (strcmp(form, "function-index") == 0)
        copy_by_index(buffer, long_text, reach);
    else if (strcmp(form, "function-walk") == 0)
        fill_by_walking(buffer, buffer + reach);
    else if (strcmp(form, "function-read") == 0)
        (void)!read(fileno(file), buffer, reach);
}

static NOINLINE void run_struct(const char *form, struct vulnerable *both) {
    both->buffer[0] = 0;
    both->handler = nothing;
    if (strcmp(form, "struct-memcpy") == 0)
        memcpy(both->buffer, long_text, SIZE + reach - REACH + 8);
    else {
        long_text[SIZE + 7] = 0;
        strcpy(both->buffer, long_text);
    }
}

int main(int argc, char **argv) {
    char *buffer;
    struct frame *victim;
    if (argc < 2 || !(file = fopen(argv[0], "rb")))
        return 1;
    memset(long_text, 'A', REACH);
    if (strncmp(argv[1], "struct", 6) == 0) {
        struct vulnerable *both = malloc(sizeof *both);
        run_struct(argv[1], both);
        dprintf(1, "buffer %lx %zx\n", (unsigned long)(uintptr_t)both, sizeof *both);
    } else {
        buffer = malloc(SIZE);
        victim = malloc(sizeof *victim);
        run(argv[1], buffer, victim);
        dprintf(1, "buffer %lx %x\n", (unsigned long)(uintptr_t)buffer, SIZE);
        dprintf(1, "victim %lx %zx\n", (unsigned long)(uintptr_t)victim, sizeof *victim);
    }
    _exit(0); /* the heap is broken */
}
