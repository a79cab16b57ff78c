/* A value that the tree refuses stays with the caller, who forgets it. */
#include "tree.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put(struct tree **t, int key, const char *text) {
    char *value = strdup(text);
#ifdef LEAK
    if (value)
        tree_put(t, key, value);
#else
    if (value && tree_put(t, key, value))
        free(value);
#endif
}

int main(void) {
    struct tree *t = NULL;
    put(&t, 5, "five");
    put(&t, 3, "three");
    put(&t, 5, "fünf");
    const char *found = tree_get(t, 5);
    puts(found ? found : "?");
    tree_free(t);
    return 0;
}
