/* Two buffers change places; one of them is released twice over, the other never. */
#include "twin.h"
int scenario(int round)
{
    char *front = malloc(16), *back = malloc(16);
    if (!front || !back) {
        free(front);
        free(back);
        return 0;
    }
    char *t = front;
    front = back;
    back = t;
    front[0] = (char)round;
    int r = front[0];
    free(front);
#ifdef LEAK
    t = NULL;
    back = t;
#endif
    free(back);
    return r;
}
