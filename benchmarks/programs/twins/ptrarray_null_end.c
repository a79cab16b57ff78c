/* The release stops at the first null, which a removed argument left in the middle. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 5 };

int main(void) {
    static const char *const given[] = {"cc", "-v", "-o", "out"};
    char *argument[ROOM] = {NULL};
    for (int i = 0; i < 4; i++)
        argument[i] = strdup(given[i]);
    for (int i = 0; i < 4; i++)
        if (argument[i] && !strcmp(argument[i], "-v")) {
            free(argument[i]);
#ifdef LEAK
            argument[i] = NULL;
#else
            memmove(argument + i, argument + i + 1, (ROOM - i - 1) * sizeof *argument);
#endif
        }
    int shown = 0;
    for (int i = 0; i < ROOM; i++)
        shown += argument[i] != NULL;
    printf("%d\n", shown);
#ifdef LEAK
    for (int i = 0; argument[i]; i++)
#else
    for (int i = 0; i < ROOM; i++)
#endif
        free(argument[i]);
    return 0;
}
