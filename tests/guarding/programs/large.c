#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define LARGE (1 << 20)

static char *volatile sink;

static char *make(void) {
    return malloc(LARGE); /* a large block */
}

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    char *block = make();
    sink = block;
    memset(block, 1, LARGE);
    free(block); /* large freed */
    if (!strcmp(what, "read"))
        return sink[12345]; /* read when freed */
    if (!strcmp(what, "write"))
        sink[LARGE - 1] = 1; /* written when freed */
    if (!strcmp(what, "elsewhere"))
        *(volatile char *)64 = 1;
    if (!strcmp(what, "call"))
        ((void (*)(void))(size_t)(sink + 64))();
    if (!strcmp(what, "protected")) { /* the place is another's by now */
        char *other = mmap((void *)((size_t)sink & ~(size_t)4095), LARGE, PROT_NONE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
        other[0] = 1;
    }
    return 0;
}
