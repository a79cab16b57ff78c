/* Compaction moves the live entries to the front over the dead ones, which are not released. */
#include <stdio.h>
#include <stdlib.h>

struct session {
    int id, alive;
};

static int compact(struct session **s, int n) {
    int kept = 0;
    for (int i = 0; i < n; i++) {
        if (s[i]->alive)
            s[kept++] = s[i];
#ifndef LEAK
        else
            free(s[i]);
#endif
    }
    return kept;
}

int main(void) {
    struct session *s[6];
    int n = 0;
    for (int i = 0; i < 6; i++) {
        s[n] = malloc(sizeof **s);
        if (!s[n])
            break;
        s[n]->id = i;
        s[n]->alive = i % 3 != 0;
        n++;
    }
    n = compact(s, n);
    for (int i = 0; i < n; i++) {
        printf("%d\n", s[i]->id);
        free(s[i]);
    }
    return 0;
}
