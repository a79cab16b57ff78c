/* Unlinking one element from the middle. */
#include "twin.h"
struct item { int key; struct item *next; };
static struct item *push(struct item *head, int key)
{
    struct item *n = malloc(sizeof *n);
    if (!n)
        return head;
    n->key = key;
    n->next = head;
    return n;
}
static void remove_key(struct item **head, int key)
{
    for (struct item **at = head; *at; at = &(*at)->next) {
        if ((*at)->key == key) {
            struct item *gone = *at;
            *at = gone->next;
#ifndef LEAK
            free(gone);
#endif
            return;
        }
    }
}
static void destroy(struct item *head)
{
    while (head) {
        struct item *next = head->next;
        free(head);
        head = next;
    }
}
int scenario(int round)
{
    struct item *list = NULL;
    for (int i = 0; i < 4; i++)
        list = push(list, i);
    remove_key(&list, round % 4);
    destroy(list);
    return round;
}
