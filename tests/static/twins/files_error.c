/* An error in the other file's middle; the caller relies on its having cleaned up. */
#include "twin.h"
int read_config(int broken, char **name, char **value);
int scenario(int round)
{
    char *name, *value;
    if (read_config(round % 2, &name, &value) < 0)
        return 0;
    int r = name[0];
    free(name);
    free(value);
    return r;
}
