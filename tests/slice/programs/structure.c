/* Members of a structure on the heap are places of their own. */
#include <stdlib.h>
struct node {
    struct node *next;
    int key, value;
};
int result;
int main(void) {
    struct node *n = calloc(1, sizeof *n); // *
    n->key = 4;
    n->value = 5; // *
    n->next = n;
    result = n->value; // *
    return n->key == 0;
}
