/* Where a node must stop growing: at the border of a mapping, and at the words of another node.
 * Prints the nodes. */
#include <emmintrin.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

static __attribute__((noinline, noclone)) void set(volatile long *at) {
    *at = 1;
}

static __attribute__((noinline, noclone)) void set_two(void *at) {
    _mm_storeu_si128(at, _mm_set1_epi64x(2));
}

static __attribute__((noinline, noclone)) void point(volatile long *page, volatile long *other) {
    page[1] = (long)other;
}

static __attribute__((noinline, noclone)) void cross(volatile long *page) {
    page[10] = 3;
}

static volatile long *map(void *where, int flags) {
    flags |= MAP_PRIVATE | MAP_ANONYMOUS;
    return mmap(where, 4096, PROT_READ | PROT_WRITE, flags, -1, 0);
}

static void mappings(void) {
    volatile long *low = map(NULL, 0);
    volatile long *high = map((void *)(low + 512), MAP_FIXED);
    set(low);
    set(high + 100);
    dprintf(1, "node %lx 8\nnode %lx 8\n", (unsigned long)low, (unsigned long)(high + 100));
}

static void wide(void) {
    volatile long *page = map(NULL, 0);
    set(page);
    point(page, page + 10); /* a node without a word yet */
    set_two((void *)(page + 9)); /* one word of nobody's, one of that node */
    cross(page);
    dprintf(1, "node %lx 50\nnode %lx 8\n", (unsigned long)page, (unsigned long)(page + 10));
}

int main(int argc, char **argv) {
    if (argc > 1 && strcmp(argv[1], "wide") == 0)
        wide();
    else
        mappings();
    return 0;
}
