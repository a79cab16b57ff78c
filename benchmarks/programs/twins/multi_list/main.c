/* Uses the list; the leak is in list.c. */
#include "list.h"
#include <stddef.h>
#include <stdio.h>

int main(void) {
    struct list *l = NULL;
    for (int i = 0; i < 5; i++)
        l = list_push(l, i);
    l = list_remove(l, 2);
    l = list_remove(l, 8);
    printf("%d\n", l ? l->number : -1);
    list_free(l);
    return 0;
}
