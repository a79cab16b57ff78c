#include <stdlib.h>
#include <string.h>
int read_config(int broken, char **name, char **value)
{
    *name = *value = NULL;
    *name = strdup("name");
    if (!*name)
        return -1;
    if (broken) {
#ifndef LEAK
        free(*name);
#endif
        *name = NULL;
        return -2;
    }
    *value = strdup("value");
    return 0;
}
