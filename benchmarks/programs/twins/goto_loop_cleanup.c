/* The error inside the loop jumps to a label that releases the list but not the entry at hand. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct rule {
    char *text;
    struct rule *next;
};

static int load(const char *const *lines) {
    struct rule *rules = NULL;
    int status = 0;
    for (; *lines; lines++) {
        struct rule *r = malloc(sizeof *r);
        if (!r) {
            status = -1;
            goto out;
        }
        if (!strchr(*lines, '>') || !(r->text = strdup(*lines))) {
#ifndef LEAK
            free(r);
#endif
            status = -1;
            goto out;
        }
        r->next = rules;
        rules = r;
        status++;
    }
out:
    while (rules) {
        struct rule *r = rules;
        rules = r->next;
        free(r->text);
        free(r);
    }
    return status;
}

int main(void) {
    static const char *const good[] = {"a>b", "c>d", NULL}, *const bad[] = {"a>b", "cd", NULL};
    printf("%d %d\n", load(good), load(bad));
    return 0;
}
