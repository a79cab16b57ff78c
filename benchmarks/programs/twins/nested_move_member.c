/* The inner list is moved to the new owner, whose own list was not empty. */
#include <stdio.h>
#include <stdlib.h>

struct items {
    int *at;
    int count;
};
struct cart {
    int customer;
    struct items items;
};

static struct items items_make(int count) {
    struct items i = {malloc((size_t)count * sizeof(int)), count};
    if (!i.at)
        i.count = 0;
    for (int k = 0; k < i.count; k++)
        i.at[k] = k;
    return i;
}

static void cart_take(struct cart *to, struct cart *from) {
#ifndef LEAK
    free(to->items.at);
#endif
    to->items = from->items;
    from->items = (struct items){NULL, 0};
}

int main(void) {
    struct cart a = {1, items_make(2)}, b = {2, items_make(5)};
    cart_take(&a, &b);
    printf("%d %d\n", a.items.count, b.items.count);
    free(a.items.at);
    free(b.items.at);
    return 0;
}
