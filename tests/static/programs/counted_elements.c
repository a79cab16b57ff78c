/* Elements [n++] of an array in a structure, where n is known and where it is not. */
#include <stdlib.h>
#include <string.h>

struct options {
    int n;
    char *files[8];
};

void good_known_count(struct options *o)
{
    if (o->n == 0) {
        o->files[o->n++] = strdup("a");
        o->files[o->n++] = strdup("b");
    }
}

void good_unknown_count(struct options *o)
{
    o->files[o->n++] = strdup("a");
    o->files[o->n++] = strdup("b");
}

void leak_same_element(struct options *o)
{
    if (o->n == 0) {
        o->files[o->n] = strdup("a");
        o->files[o->n] = strdup("b"); /* LEAK */
        o->n++;
    }
}
