/* Objects that do not fit back into the pool are neither kept nor released. */
#include <stdio.h>
#include <stdlib.h>

enum { KEEP = 2 };
struct job {
    int id;
};
static struct job *kept[KEEP];
static int keeping;

static struct job *job_get(int id) {
    struct job *j = keeping ? kept[--keeping] : malloc(sizeof *j);
    if (j)
        j->id = id;
    return j;
}

static void job_put(struct job *j) {
    if (keeping < KEEP)
        kept[keeping++] = j;
#ifndef LEAK
    else
        free(j);
#endif
}

int main(void) {
    struct job *j[4];
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 4; i++)
            j[i] = job_get(i);
        for (int i = 0; i < 4; i++)
            job_put(j[i]);
    }
    printf("%d\n", keeping);
    while (keeping > 0)
        free(kept[--keeping]);
    return 0;
}
