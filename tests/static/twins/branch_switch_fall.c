/* One case of a switch forgets what the others release. */
#include "twin.h"
int scenario(int round)
{
    char *word = strdup("word");
    int r = 0;
    switch (round % 3) {
    case 0:
        r = 1;
        free(word);
        break;
    case 1:
        r = 2;
#ifdef LEAK
        break;
#endif
        /* fallthrough */
    default:
        free(word);
        break;
    }
    return r;
}
