/* A slot of the ring is overwritten with the newest record while it holds the oldest. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEPT = 4 };
struct history {
    char *line[KEPT];
    unsigned next;
};

static void remember(struct history *h, const char *line) {
    unsigned slot = h->next++ % KEPT;
#ifdef LEAK
    if (h->next < KEPT)
        free(h->line[slot]);
#else
    free(h->line[slot]);
#endif
    h->line[slot] = strdup(line);
}

int main(void) {
    struct history h = {{NULL}, 0};
    static const char *const typed[] = {"ls", "cd", "make", "vi", "git", "exit"};
    for (int i = 0; i < 6; i++)
        remember(&h, typed[i]);
    for (int i = 0; i < KEPT; i++) {
        puts(h.line[i] ? h.line[i] : "");
        free(h.line[i]);
    }
    return 0;
}
