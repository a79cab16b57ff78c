/* Merging two sorted lists drops what is left of the second. */
#include <stdio.h>
#include <stdlib.h>

struct run {
    int key;
    struct run *next;
};

static struct run *build(int from, int step, int n) {
    struct run *head = NULL, **end = &head;
    for (int i = 0; i < n; i++) {
        struct run *r = malloc(sizeof *r);
        if (!r)
            break;
        *r = (struct run){from + i * step, NULL};
        *end = r;
        end = &r->next;
    }
    return head;
}

static struct run *merge(struct run *a, struct run *b) {
    struct run *out = NULL, **end = &out;
    while (a && b) {
        struct run **smaller = a->key <= b->key ? &a : &b;
        *end = *smaller;
        *smaller = (*smaller)->next;
        end = &(*end)->next;
    }
#ifdef LEAK
    *end = a;
#else
    *end = a ? a : b;
#endif
    return out;
}

int main(void) {
    struct run *all = merge(build(0, 1, 3), build(1, 4, 4));
    for (struct run *next; all; all = next) {
        next = all->next;
        printf("%d ", all->key);
        free(all);
    }
    puts("");
    return 0;
}
