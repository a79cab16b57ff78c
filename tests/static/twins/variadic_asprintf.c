/* asprintf into the same variable twice. */
#include "twin.h"
int scenario(int round)
{
    char *path = NULL;
    if (asprintf(&path, "/tmp/%d", round) < 0)
        return 0;
    int r = path[0];
#ifdef LEAK
    char *longer = NULL;
    if (asprintf(&longer, "%s/x", path) < 0)
        longer = NULL;
    path = longer;
#else
    char *longer = NULL;
    if (asprintf(&longer, "%s/x", path) < 0)
        longer = NULL;
    free(path);
    path = longer;
#endif
    free(path);
    return r;
}
