/* The release function ignores blocks whose tag it does not know, and one tag is missing. */
#include <stdio.h>
#include <stdlib.h>

enum tag { TAG_NODE = 0x11, TAG_TEXT, TAG_TABLE };
struct block {
    enum tag tag;
    double body[4];
};

static struct block *block_new(enum tag tag) {
    struct block *b = calloc(1, sizeof *b);
    if (!b)
        abort();
    b->tag = tag;
    return b;
}

static int block_free(struct block *b) {
    switch (b->tag) {
    case TAG_NODE:
    case TAG_TEXT:
#ifndef LEAK
    case TAG_TABLE:
#endif
        free(b);
        return 1;
    default:
        return 0;
    }
}

int main(void) {
    int freed = 0;
    for (int tag = TAG_NODE; tag <= TAG_TABLE; tag++)
        freed += block_free(block_new((enum tag)tag));
    printf("%d\n", freed > 1);
    return 0;
}
