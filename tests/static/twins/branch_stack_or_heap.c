/* The same without a flag: compared with the array on the stack. */
#include "twin.h"
int scenario(int round)
{
    char local[8];
    size_t need = round % 2 ? 64 : 4;
    char *p = need <= sizeof local ? local : malloc(need);
    if (!p)
        return 0;
    memset(p, 'y', need);
    int r = p[0];
#ifdef LEAK
    if (p == local)
        r++;
#else
    if (p != local)
        free(p);
#endif
    return r;
}
