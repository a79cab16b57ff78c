/* First child, next sibling: a recursive walk over children with a loop over siblings. */
#include "twin.h"
struct element { struct element *child, *sibling; char *tag; };
static struct element *element(const char *tag, struct element *child)
{
    struct element *e = calloc(1, sizeof *e);
    if (!e)
        abort();
    e->tag = strdup(tag);
    e->child = child;
    return e;
}
static void drop(struct element *e)
{
    while (e) {
        struct element *next = e->sibling;
#ifndef LEAK
        drop(e->child);
#endif
        free(e->tag);
        free(e);
        e = next;
    }
}
int scenario(int round)
{
    struct element *doc = element("html", element("body", NULL));
    doc->sibling = element("tail", NULL);
    int r = doc->tag ? doc->tag[0] : round;
    drop(doc);
    return r;
}
