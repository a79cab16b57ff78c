/* getline owns one buffer for the whole loop. */
#include "twin.h"
int scenario(int round)
{
    FILE *f = fopen("/etc/passwd", "r");
    if (!f)
        return 0;
    char *line = NULL;
    size_t size = 0;
    int n = round;
    while (getline(&line, &size, f) > 0) {
        n++;
#ifdef LEAK
        line = NULL;
        size = 0;
#endif
    }
    free(line);
    fclose(f);
    return n;
}
