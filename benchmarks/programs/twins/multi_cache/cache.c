/* The page in the cache is replaced by the next one and not released. */
#include "cache.h"
#include "load.h"
#include <stdlib.h>

static struct {
    int page;
    char *text;
} cached = {-1, NULL};

const char *cache_get(int page) {
    if (cached.page != page) {
        char *text = load_page(page);
        if (!text)
            return NULL;
#ifndef LEAK
        free(cached.text);
#endif
        cached.text = text;
        cached.page = page;
    }
    return cached.text;
}

void cache_close(void) {
    free(cached.text);
    cached.text = NULL;
    cached.page = -1;
}
