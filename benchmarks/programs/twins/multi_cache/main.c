/* Reads some pages; the leak is in cache.c. */
#include "cache.h"
#include <stdio.h>

int main(void) {
    int pages[] = {1, 1, 2, -5, 1};
    for (int i = 0; i < 5; i++) {
        const char *text = cache_get(pages[i]);
        puts(text ? text : "none");
    }
    cache_close();
    return 0;
}
