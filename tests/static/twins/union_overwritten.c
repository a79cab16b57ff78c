/* The variant changes from text to number; the text has to go first. */
#include "twin.h"
struct cell { enum { TEXT, NUMBER } kind; union { char *text; size_t number; } is; };
int scenario(int round)
{
    struct cell *c = malloc(sizeof *c);
    if (!c)
        return 0;
    c->kind = TEXT;
    c->is.text = strdup("was text");
#ifndef LEAK
    free(c->is.text);
#endif
    c->kind = NUMBER;
    c->is.number = (size_t)round;
    int r = (int)c->is.number;
    free(c);
    return r;
}
