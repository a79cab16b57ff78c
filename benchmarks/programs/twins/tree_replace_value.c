/* Storing a key a second time overwrites its value without releasing it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct map {
    int key;
    char *value;
    struct map *left, *right;
};

static void put(struct map **at, int key, const char *value) {
    while (*at && (*at)->key != key)
        at = key < (*at)->key ? &(*at)->left : &(*at)->right;
    if (!*at) {
        *at = calloc(1, sizeof **at);
        if (!*at)
            return;
        (*at)->key = key;
    }
#ifndef LEAK
    free((*at)->value);
#endif
    (*at)->value = strdup(value);
}

static void drop(struct map *m) {
    if (m) {
        drop(m->left);
        drop(m->right);
        free(m->value);
        free(m);
    }
}

int main(void) {
    struct map *m = NULL;
    put(&m, 3, "three");
    put(&m, 1, "one");
    put(&m, 3, "drei");
    printf("%s\n", m && m->value ? m->value : "");
    drop(m);
    return 0;
}
