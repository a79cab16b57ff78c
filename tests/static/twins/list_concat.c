/* Two lists are joined; the first has to be walked to its end. */
#include "twin.h"
struct node { struct node *next; };
static struct node *one(void)
{
    return calloc(1, sizeof(struct node));
}
int scenario(int round)
{
    struct node *a = one(), *b = one();
    if (!a || !b) {
        free(a);
        free(b);
        return 0;
    }
#ifdef LEAK
    a->next = one();
#endif
    a->next = b;
    int n = round;
    while (a) {
        struct node *t = a;
        a = a->next;
        free(t);
        n++;
    }
    return n;
}
