/* continue jumps past the release. */
#include "twin.h"
int scenario(int round)
{
    int kept = 0;
    for (int i = 0; i < 4; i++) {
        char *line = strdup(i & 1 ? "#comment" : "value");
        if (!line)
            break;
        if (line[0] == '#') {
#ifndef LEAK
            free(line);
#endif
            continue;
        }
        kept += line[0] == 'v';
        free(line);
    }
    return kept + round;
}
