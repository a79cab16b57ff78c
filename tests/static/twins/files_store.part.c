#include <stdlib.h>
#include <string.h>
#include "files_store.h"
struct store *store_open(const char *name)
{
    struct store *s = malloc(sizeof *s);
    if (!s)
        return NULL;
    s->name = strdup(name);
    s->rows = NULL;
    return s;
}
int store_add(struct store *s, int v)
{
    struct row *r = malloc(sizeof *r);
    if (!r)
        return -1;
    r->v = v;
    r->next = s->rows;
    s->rows = r;
    return 0;
}
void store_close(struct store *s)
{
    struct row *r = s->rows;
    while (r) {
        struct row *next = r->next;
        free(r);
        r = next;
    }
#ifndef LEAK
    free(s->name);
#endif
    free(s);
}
