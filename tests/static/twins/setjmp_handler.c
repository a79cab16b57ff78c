/* The handler after a longjmp returns without the release. */
#include "twin.h"
static jmp_buf failed;
int scenario(int round)
{
    char *volatile text = strdup("text");
    if (setjmp(failed) != 0) {
#ifndef LEAK
        free(text);
#endif
        return -1;
    }
    if (round % 2)
        longjmp(failed, 1);
    free(text);
    return round;
}
