/* A flag remembers whether the buffer came from the heap. */
#include "twin.h"
int scenario(int round)
{
    char small[8], *buffer = small;
    int from_heap = 0;
    size_t need = round % 2 ? 64 : 4;
    if (need > sizeof small) {
        buffer = malloc(need);
        if (!buffer)
            return -1;
        from_heap = 1;
    }
    memset(buffer, 'x', need);
    int r = buffer[0];
#ifdef LEAK
    from_heap = 0;
#endif
    if (from_heap)
        free(buffer);
    return r;
}
