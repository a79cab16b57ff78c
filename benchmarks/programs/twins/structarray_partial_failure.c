/* When a name cannot be copied the array is released without the names before it. */
// needs a failing allocation
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct player {
    char *name;
    int score;
};

static struct player *players(const char *const *names, size_t n) {
    struct player *p = calloc(n, sizeof *p);
    if (!p)
        return NULL;
    for (size_t i = 0; i < n; i++) {
        p[i].name = strdup(names[i]);
        if (!p[i].name) {
#ifndef LEAK
            while (i > 0)
                free(p[--i].name);
#endif
            free(p);
            return NULL;
        }
    }
    return p;
}

int main(void) {
    static const char *const names[] = {"Xena", "Yuri", "Zoe"};
    struct player *p = players(names, 3);
    for (int i = 0; p && i < 3; i++) {
        printf("%s %d\n", p[i].name, p[i].score);
        free(p[i].name);
    }
    free(p);
    return 0;
}
