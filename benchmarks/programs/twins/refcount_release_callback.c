/* The count is compared before it is lowered, so the release function is never called. */
#include <stdio.h>
#include <stdlib.h>

struct kref {
    int count;
};
struct inode {
    struct kref ref;
    int number;
};

static void inode_release(struct kref *k) {
    struct inode *i = (struct inode *)k;
    printf("release %d\n", i->number);
    free(i);
}

static int kref_put(struct kref *k, void (*release)(struct kref *)) {
#ifdef LEAK
    if (k->count-- > 0)
        return 0;
#else
    if (--k->count > 0)
        return 0;
#endif
    release(k);
    return 1;
}

int main(void) {
    struct inode *i = malloc(sizeof *i);
    if (!i)
        return 0;
    *i = (struct inode){{1}, 7};
    i->ref.count++;
    kref_put(&i->ref, inode_release);
    kref_put(&i->ref, inode_release);
    return 0;
}
