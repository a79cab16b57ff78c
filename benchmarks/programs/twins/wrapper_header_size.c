/* The counting allocator keeps a header; its release subtracts the size and skips large blocks. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

struct header {
    size_t size;
    max_align_t align;
};
static size_t in_use;

static void *counted_alloc(size_t n) {
    struct header *h = malloc(sizeof *h + n);
    if (!h)
        return NULL;
    h->size = n;
    in_use += n;
    return h + 1;
}

static void counted_free(void *p) {
    if (!p)
        return;
    struct header *h = (struct header *)p - 1;
    in_use -= h->size;
#ifdef LEAK
    if (h->size > 100)
        return;
#endif
    free(h);
}

int main(void) {
    char *small = counted_alloc(10), *large = counted_alloc(200);
    printf("%zu\n", in_use);
    counted_free(small);
    counted_free(large);
    printf("%zu\n", in_use);
    return 0;
}
