/* The macro that releases and clears is used twice on the same member. */
#include <stdio.h>
#include <stdlib.h>

#define RELEASE(p)                                                                                 \
    do {                                                                                           \
        free(p);                                                                                   \
        (p) = NULL;                                                                                \
    } while (0)

struct image {
    unsigned char *pixels, *mask;
};

int main(void) {
    struct image i = {malloc(16), malloc(4)};
    if (i.pixels)
        i.pixels[0] = 1;
    printf("%d\n", i.pixels ? i.pixels[0] : 0);
    RELEASE(i.pixels);
#ifdef LEAK
    RELEASE(i.pixels);
#else
    RELEASE(i.mask);
#endif
    return i.pixels != NULL;
}
