/* What a program says to Memcheck, and is wrong about. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <valgrind/memcheck.h>

static char arena[4096];
volatile char seen;

static void *get(size_t n) { /* tells of its blocks */
    static size_t used = 64;
    void *block = arena + used;
    used += n + 64;
    VALGRIND_MALLOCLIKE_BLOCK(block, n, 16, 0);
    return block;
}

static void put(void *block) {
    VALGRIND_FREELIKE_BLOCK(block, 16);
}

static void blocks(void) {
    char *p = get(20); /* got */
    memset(p, 1, 20);
    seen = p[20]; /* over a told block */
    seen = p[-1]; /* under a told block */
    put(p);
    seen = p[3]; /* a told block after its end */
}

static void access(void) {
    char *p = malloc(64);
    VALGRIND_MAKE_MEM_NOACCESS(p + 16, 16);
    seen = p[15];
    seen = p[16]; /* made inaccessible */
    VALGRIND_MAKE_MEM_DEFINED(p + 16, 16);
    seen = p[16];
    printf("%d", (int)((char *)VALGRIND_CHECK_MEM_IS_ADDRESSABLE(p, 64) - (char *)0));
    printf(" %d\n", (int)((char *)VALGRIND_CHECK_MEM_IS_ADDRESSABLE(p, 65) - p)); /* asked */
    free(p);
}

static void pools(void) {
    static char memory[1024];
    VALGRIND_CREATE_MEMPOOL(memory, 8, 0);
    VALGRIND_MAKE_MEM_NOACCESS(memory, sizeof memory);
    char *a = memory + 64, *b = memory + 128;
    VALGRIND_MEMPOOL_ALLOC(memory, a, 24);
    VALGRIND_MEMPOOL_ALLOC(memory, b, 24);
    memset(a, 1, 24);
    memset(b, 1, 24);
    seen = a[24]; /* over a pool's block */
    VALGRIND_MEMPOOL_FREE(memory, a);
    seen = a[0]; /* after it was given back */
    VALGRIND_MEMPOOL_TRIM(memory, memory, 64);
    seen = b[1]; /* after trimming */
    VALGRIND_DESTROY_MEMPOOL(memory);
}

static void bits(void) {
    unsigned char is[4] = {0}, told[4] = {0, 0x0f, 0xff, 0};
    unsigned char *p = malloc(4);
    p[0] = 1;
    printf("%d", (int)VALGRIND_GET_VBITS(p, is, 4));
    printf(" %d %d", is[0], is[3]);
    VALGRIND_SET_VBITS(p, told, 4);
    VALGRIND_GET_VBITS(p, is, 4);
    printf(" %d %d %d", is[1], is[2], is[3]);
    printf(" %d\n", (int)VALGRIND_GET_VBITS(p, is, 5));
    if (p[1] & 0x10 || p[3])
        seen = 1;
    if (p[1] & 1) /* a bit that was told */
        seen = 2;
    free(p);
}

static void unset(void) {
    static char memory[256];
    char *p = get(20), local;
    VALGRIND_CREATE_MEMPOOL(memory, 8, 0);
    VALGRIND_MEMPOOL_ALLOC(memory, memory + 64, 24);
    VALGRIND_MALLOCLIKE_BLOCK(&local, 1, 0, 0);
    if (p[7]) /* unset in a told block */
        seen = 1;
    if (memory[70]) /* unset in a pool */
        seen = 2;
    if (local) /* unset in a variable that is told */
        seen = 3;
}

static void wrong_frees(void) {
    static char memory[256];
    char *p = get(20);
    int *grown = get(16);
    put(p);
    VALGRIND_FREELIKE_BLOCK(p, 16);        /* told twice */
    VALGRIND_FREELIKE_BLOCK(arena + 7, 0); /* never told */
    VALGRIND_FREELIKE_BLOCK(0, 0);
    memset(grown, 1, 16);
    VALGRIND_RESIZEINPLACE_BLOCK(grown, 16, 24, 8);
    if (grown[3])
        seen = 1;
    if (grown[4]) /* grown and not set */
        seen = 2;
    seen = ((char *)grown)[24];                         /* over a grown block */
    VALGRIND_RESIZEINPLACE_BLOCK(grown + 1, 16, 24, 8); /* resized and never told */
    VALGRIND_CREATE_MEMPOOL(memory, 0, 0);
    VALGRIND_MEMPOOL_ALLOC(memory, memory + 64, 24);
    VALGRIND_MEMPOOL_FREE(memory, memory + 64);
    VALGRIND_MEMPOOL_FREE(memory, memory + 64); /* twice in a pool */
}

static void questions(void) {
    char *p = malloc(8), local[4];
    memset(p, 1, 7);
    (void)VALGRIND_CHECK_MEM_IS_DEFINED(p, 7);
    (void)VALGRIND_CHECK_MEM_IS_DEFINED(p, 8);                /* asked of a block */
    (void)VALGRIND_CHECK_MEM_IS_DEFINED(local, sizeof local); /* asked of a variable */
    free(p);
}

static void silence(void) {
    char *p = malloc(8);
    VALGRIND_DISABLE_ERROR_REPORTING;
    VALGRIND_DISABLE_ERROR_REPORTING;
    seen = p[8];
    VALGRIND_ENABLE_ERROR_REPORTING;
    seen = p[9];
    VALGRIND_ENABLE_ERROR_REPORTING;
    VALGRIND_ENABLE_ERROR_REPORTING;
    seen = p[10]; /* told again */
    free(p);
}

static void foreign_frees(void) {
    char *p = malloc(20);
    VALGRIND_FREELIKE_BLOCK(p, 0); /* malloc's, given back by a request */
    seen = p[1];                   /* after that */
    p = get(30);
    free(p);     /* told, and freed */
    seen = p[1]; /* freed by free */
    free(p);     /* told, and freed twice */
}

static void ranges(void) {
    char *p = malloc(16);
    free(p);
    printf("%d", (int)VALGRIND_DISABLE_ADDR_ERROR_REPORTING_IN_RANGE(p, 4));
    printf(" %d", (int)VALGRIND_DISABLE_ADDR_ERROR_REPORTING_IN_RANGE(p, 0));
    seen = p[0] + p[3];
    seen = p[4]; /* behind the range */
    printf(" %d\n", (int)VALGRIND_ENABLE_ADDR_ERROR_REPORTING_IN_RANGE(p + 2, 1));
    seen = p[1] + p[3];
    seen = p[2]; /* wanted again */
}

static void counts(void) {
    char *p = malloc(16);
    for (int i = 0; i < 5; i++)
        seen = p[16]; /* five times */
    printf("%d", (int)VALGRIND_COUNT_ERRORS);
    free(p);
    free(p); /* a bad free counts */
    printf(" %d", (int)VALGRIND_COUNT_ERRORS);
    VALGRIND_DISABLE_ERROR_REPORTING;
    seen = p[1];
    free(p);
    VALGRIND_FREELIKE_BLOCK(malloc(3), 0);
    VALGRIND_ENABLE_ERROR_REPORTING;
    printf(" %d\n", (int)VALGRIND_COUNT_ERRORS);
}

static void lose(void) {
    char **volatile p = malloc(20);
    *p = malloc(6); /* lost with it */
    p = 0;
}

static void leaks(void) {
    static char *kept, *middle;
    unsigned long bytes[4], blocks[4], before[4] = {1, 1, 1, 1};
    VALGRIND_COUNT_LEAKS(before[0], before[1], before[2], before[3]);
    kept = malloc(10);
    middle = (char *)malloc(30) + 7;
    lose();
    VALGRIND_DO_QUICK_LEAK_CHECK;
    VALGRIND_COUNT_LEAKS(bytes[0], bytes[1], bytes[2], bytes[3]);
    VALGRIND_COUNT_LEAK_BLOCKS(blocks[0], blocks[1], blocks[2], blocks[3]);
    printf("%lu %lu", before[0] + before[1], before[2] + before[3]);
    for (int i = 0; i < 4; i++)
        printf(" %lu/%lu", bytes[i], blocks[i]);
    free(middle - 7);
    VALGRIND_DO_QUICK_LEAK_CHECK;
    VALGRIND_COUNT_LEAKS(bytes[0], bytes[1], bytes[2], bytes[3]);
    printf(" %lu %lu\n", bytes[0], bytes[1]);
}

int main(int argc, char **argv) {
    const char *what = argv[argc - 1];
    if (!strcmp(what, "blocks"))
        blocks();
    if (!strcmp(what, "access"))
        access();
    if (!strcmp(what, "pools"))
        pools();
    if (!strcmp(what, "unset"))
        unset();
    if (!strcmp(what, "bits"))
        bits();
    if (!strcmp(what, "wrong-frees"))
        wrong_frees();
    if (!strcmp(what, "questions"))
        questions();
    if (!strcmp(what, "silence"))
        silence();
    if (!strcmp(what, "foreign-frees"))
        foreign_frees();
    if (!strcmp(what, "ranges"))
        ranges();
    if (!strcmp(what, "counts"))
        counts();
    if (!strcmp(what, "leaks"))
        leaks();
    return 0;
}
