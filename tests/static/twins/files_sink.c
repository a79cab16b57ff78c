/* Another file takes what is handed over, or only looks at it. */
#include "twin.h"
void sink(char *p);
int scenario(int round)
{
    for (int i = 0; i < 2; i++)
        sink(strdup("message"));
    return round;
}
