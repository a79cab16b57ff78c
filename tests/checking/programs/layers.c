/* Allocators of the program's own: a pool, wrappers around malloc, tail calls, and ways out. */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LAYER __attribute__((noinline))

struct free_block {
    struct free_block *next;
};

static char *pool;
static size_t used;
static struct free_block *spare;
static jmp_buf out;
volatile char seen;

LAYER void *pool_get(size_t n) {
    void *block = spare;
    n = (n + 7) & ~(size_t)7;
    if (!pool)
        pool = malloc(4096);
    if (block && n <= 128) {
        spare = spare->next; /* reads what is nobody's */
        return block;
    }
    used += n;
    return pool + used - n;
}

LAYER void *pool_more(size_t n) {
    return pool_get(n + 8); /* a tail call with -O2 */
}

LAYER void pool_put(void *block) {
    struct free_block *freed = block;
    freed->next = spare; /* writes what is nobody's */
    spare = freed;
}

LAYER void *wrapped(size_t n) {
    char *made = malloc(n);
    memset(made, 7, n); /* inside: all that was asked for */
    return made;
}

LAYER void *outer(size_t n) {
    return wrapped(n); /* a tail call with -O2 */
}

LAYER void *many(size_t count, size_t size) {
    return malloc(count * size);
}

LAYER void *fails(size_t n) {
    if (n > 1000)
        longjmp(out, 1);
    return malloc(n);
}

LAYER void *kinded(int kind) { /* its argument is no size */
    return malloc(kind == 1 ? 24 : 48);
}

LAYER static void deeper(char *p) {
    volatile char room[512];
    room[0] = p[10]; /* found after longjmp */
    seen = room[0];
}

static void pool_errors(void) {
    volatile char *a = pool_get(20), *b = pool_get(20);
    memset((void *)a, 1, 20);
    memset((void *)b, 2, 20);
    a[20] = 1; /* over the end */
    pool_put((void *)a);
    seen = a[3]; /* after it was put back */
    a = pool_get(20);
    a[3] = 1;
    printf("%p\n", (void *)a);
}

static void wrapper_errors(void) {
    volatile char *p = wrapped(10), *q = outer(11), *r = many(3, 5);
    p[10] = 1; /* behind wrapped */
    q[11] = 1; /* behind outer */
    r[15] = 1; /* behind many */
    memset((void *)p, 0, 10);
    memset((void *)q, 0, 11);
    memset((void *)r, 0, 15);
    free((void *)p);
    free((void *)q);
    free((void *)r);
}

static void left(void) {
    char *p = malloc(10);
    if (setjmp(out) == 0)
        fails(2000);
    deeper(p);
    free((void *)p);
}

int main(int argc, char **argv) {
    const char *what = argv[argc - 1];
    if (strcmp(what, "pool") == 0)
        pool_errors();
    if (strcmp(what, "wrappers") == 0)
        wrapper_errors();
    if (strcmp(what, "tail") == 0) {
        volatile char *p = pool_more(200);
        p[200] = 1; /* behind pool_more */
    }
    if (strcmp(what, "left") == 0)
        left();
    if (strcmp(what, "kinded") == 0) {
        volatile char *p = kinded(1);
        memset((void *)p, 0, 24);
        p[24] = 1; /* behind kinded */
        free((void *)p);
    }
    return 0;
}
