/* The nodes are released, the names in them are not. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct contact {
    char *name;
    struct contact *next;
};

static struct contact *add(struct contact *list, const char *name) {
    struct contact *c = malloc(sizeof *c);
    if (!c)
        return list;
    c->name = strdup(name);
    c->next = list;
    return c;
}

static void drop(struct contact *list) {
    for (struct contact *next; list; list = next) {
        next = list->next;
#ifndef LEAK
        free(list->name);
#endif
        free(list);
    }
}

int main(void) {
    struct contact *book = add(add(NULL, "Ada"), "Grace");
    for (struct contact *c = book; c; c = c->next)
        printf("%s\n", c->name ? c->name : "?");
    drop(book);
    return 0;
}
