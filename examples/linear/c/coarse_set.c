/* A sorted list under one lock. */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

struct node {
    int key;
    struct node *next;
};

struct set {
    struct node *head;
    pthread_mutex_t lock;
};

bool add(struct set *s, int key)
{
    struct node *node = malloc(sizeof *node);
    node->key = key;
    pthread_mutex_lock(&s->lock);
    struct node *before = NULL;
    struct node *at = s->head;
    while (at != NULL && at->key < key) {
        before = at;
        at = at->next;
    }
    if (at != NULL && at->key == key) {
        pthread_mutex_unlock(&s->lock);
        free(node);
        return false;
    }
    node->next = at;
    if (before == NULL)
        s->head = node;
    else
        before->next = node;
    pthread_mutex_unlock(&s->lock);
    return true;
}

bool remove_key(struct set *s, int key)
{
    pthread_mutex_lock(&s->lock);
    struct node *before = NULL;
    struct node *at = s->head;
    while (at != NULL && at->key < key) {
        before = at;
        at = at->next;
    }
    if (at == NULL || at->key != key) {
        pthread_mutex_unlock(&s->lock);
        return false;
    }
    if (before == NULL)
        s->head = at->next;
    else
        before->next = at->next;
    pthread_mutex_unlock(&s->lock);
    free(at);
    return true;
}

bool contains(struct set *s, int key)
{
    pthread_mutex_lock(&s->lock);
    struct node *at = s->head;
    while (at != NULL && at->key < key)
        at = at->next;
    bool found = at != NULL && at->key == key;
    pthread_mutex_unlock(&s->lock);
    return found;
}
