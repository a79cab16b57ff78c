/* Pages with negative numbers do not exist. */
#include "load.h"
#include <stdio.h>
#include <stdlib.h>

char *load_page(int page) {
    char *text = malloc(24);
    if (!text)
        return NULL;
    if (page < 0) {
        free(text);
        return NULL;
    }
    snprintf(text, 24, "page %d", page);
    return text;
}
