/* Storing under an existing key replaces the value without releasing it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 7 };
struct entry {
    struct entry *next;
    char *key, *value;
};
struct table {
    struct entry *bucket[BUCKETS];
};

static unsigned hash(const char *s) {
    unsigned h = 5381;
    while (*s)
        h = h * 33 + (unsigned char)*s++;
    return h % BUCKETS;
}

static void put(struct table *t, const char *key, const char *value) {
    struct entry **at = &t->bucket[hash(key)];
    while (*at && strcmp((*at)->key, key))
        at = &(*at)->next;
    if (*at) {
#ifndef LEAK
        free((*at)->value);
#endif
        (*at)->value = strdup(value);
        return;
    }
    struct entry *e = malloc(sizeof *e);
    if (!e)
        return;
    *e = (struct entry){NULL, strdup(key), strdup(value)};
    if (!e->key || !e->value) {
        free(e->key);
        free(e->value);
        free(e);
        return;
    }
    *at = e;
}

int main(void) {
    struct table t = {{NULL}};
    put(&t, "a", "1");
    put(&t, "b", "2");
    put(&t, "a", "3");
    for (int i = 0; i < BUCKETS; i++)
        for (struct entry *e = t.bucket[i], *next; e; e = next) {
            next = e->next;
            printf("%s=%s\n", e->key, e->value ? e->value : "");
            free(e->key);
            free(e->value);
            free(e);
        }
    return 0;
}
