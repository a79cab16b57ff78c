/* The cleanup function releases the lease only if it is marked as active. */
#include <stdio.h>
#include <stdlib.h>

struct lease {
    int active;
    int *slot;
};

static void lease_end(struct lease *l) {
#ifdef LEAK
    if (!l->active)
        return;
#endif
    free(l->slot);
}

static int use(int id) {
    __attribute__((cleanup(lease_end))) struct lease l = {0, malloc(sizeof(int))};
    if (!l.slot)
        return -1;
    *l.slot = id;
    if (id < 0)
        return -1;
    l.active = 1;
    return *l.slot;
}

int main(void) {
    printf("%d %d\n", use(5), use(-5));
    return 0;
}
