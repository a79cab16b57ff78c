/* Entries that were marked unused keep their data, and only used ones are released. */
#include <stdio.h>
#include <stdlib.h>

struct buffer {
    int used;
    unsigned char *data;
};

static struct buffer pool[4];

static int acquire(void) {
    for (int i = 0; i < 4; i++)
        if (!pool[i].used) {
            free(pool[i].data);
            pool[i].data = calloc(1, 64);
            pool[i].used = pool[i].data != NULL;
            return pool[i].used ? i : -1;
        }
    return -1;
}

static void release(int i) {
    pool[i].used = 0;
}

static void shutdown(void) {
    for (int i = 0; i < 4; i++) {
#ifdef LEAK
        if (pool[i].used)
            free(pool[i].data);
#else
        free(pool[i].data);
#endif
        pool[i] = (struct buffer){0, NULL};
    }
}

int main(void) {
    int a = acquire(), b = acquire();
    if (a >= 0)
        release(a);
    printf("%d\n", a != b || a < 0);
    shutdown();
    return 0;
}
