/* The same word seen as two pointer types. */
#include "twin.h"
union view { char *bytes; int *words; };
int scenario(int round)
{
    union view v;
    v.bytes = malloc(16);
    if (!v.bytes)
        return 0;
    v.words[0] = round;
    int r = v.words[0];
#ifdef LEAK
    v.words = NULL;
#endif
    free(v.words);
    return r;
}
