/* Removing the head of a chain frees the entry without its key; inside the chain it is right. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct entry {
    struct entry *next;
    char *key;
};
static struct entry *bucket[2];

static struct entry **chain(const char *key) {
    return &bucket[strlen(key) % 2];
}

static void add(const char *key) {
    struct entry *e = malloc(sizeof *e), **head = chain(key);
    if (!e)
        return;
    if (!(e->key = strdup(key))) {
        free(e);
        return;
    }
    e->next = *head;
    *head = e;
}

static void discard(const char *key) {
    struct entry **head = chain(key), *e = *head, *before = NULL;
    while (e && strcmp(e->key, key)) {
        before = e;
        e = e->next;
    }
    if (!e)
        return;
    if (before) {
        before->next = e->next;
        free(e->key);
    } else {
        *head = e->next;
#ifndef LEAK
        free(e->key);
#endif
    }
    free(e);
}

int main(void) {
    static const char *const keys[] = {"one", "two", "four", "sixty"};
    for (int i = 0; i < 4; i++)
        add(keys[i]);
    printf("%s\n", bucket[1] ? bucket[1]->key : "?");
    for (int i = 0; i < 4; i++)
        discard(keys[i]);
    return 0;
}
