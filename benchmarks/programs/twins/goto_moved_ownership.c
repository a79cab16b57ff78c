/* The section is attached to the document before the check, but released by nobody if it fails. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct document {
    char *section;
};

static struct document *open_document(const char *text) {
    struct document *d = malloc(sizeof *d);
    char *section = strdup(text);
    if (!d || !section)
        goto fail;
    d->section = section;
    section = NULL;
    if (strlen(text) > 8)
        goto detach;
    return d;
detach:
#ifndef LEAK
    section = d->section;
#endif
fail:
    free(section);
    free(d);
    return NULL;
}

int main(void) {
    struct document *a = open_document("short"), *b = open_document("much too long");
    printf("%d %d\n", a != NULL, b != NULL);
    if (a)
        free(a->section);
    free(a);
    return 0;
}
