/* Buckets of chains; replacing the value of a key. */
#include "twin.h"
struct entry { char *key, *value; struct entry *next; };
struct table { struct entry *bucket[8]; };
static unsigned hash(const char *s)
{
    unsigned h = 7;
    while (*s)
        h = h * 31 + (unsigned char)*s++;
    return h % 8;
}
static void put(struct table *t, const char *key, const char *value)
{
    struct entry **at = &t->bucket[hash(key)];
    for (struct entry *e = *at; e; e = e->next)
        if (strcmp(e->key, key) == 0) {
#ifndef LEAK
            free(e->value);
#endif
            e->value = strdup(value);
            return;
        }
    struct entry *e = malloc(sizeof *e);
    if (!e)
        return;
    e->key = strdup(key);
    e->value = strdup(value);
    e->next = *at;
    *at = e;
}
static void destroy(struct table *t)
{
    for (int i = 0; i < 8; i++)
        for (struct entry *e = t->bucket[i], *next; e; e = next) {
            next = e->next;
            free(e->key);
            free(e->value);
            free(e);
        }
    free(t);
}
int scenario(int round)
{
    struct table *t = calloc(1, sizeof *t);
    if (!t)
        return 0;
    put(t, "k", "1");
    put(t, "k", "2");
    destroy(t);
    return round;
}
