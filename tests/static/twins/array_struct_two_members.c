/* Each record owns two strings; the loop frees only one of them. */
#include "twin.h"
struct pair { char *key, *value; };
int scenario(int round)
{
    struct pair table[4];
    for (int i = 0; i < 4; i++) {
        table[i].key = strdup("key");
        table[i].value = strdup("value");
    }
    for (int i = 0; i < 4; i++) {
        free(table[i].key);
#ifndef LEAK
        free(table[i].value);
#endif
    }
    return round;
}
