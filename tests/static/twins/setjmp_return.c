/* setjmp guards a section; the ordinary way out forgets the buffer. */
#include "twin.h"
static jmp_buf back;
static void work(char *p)
{
    if (p[0] == 'z')
        longjmp(back, 1);
}
int scenario(int round)
{
    char *volatile buffer = malloc(4);
    if (!buffer)
        return 0;
    if (setjmp(back) == 0) {
        buffer[0] = 'a';
        work(buffer);
#ifdef LEAK
        return round;
#endif
    }
    free(buffer);
    return round;
}
