/* Values release their lists and lists their values; one direction stops at the number zero. */
#include <stdio.h>
#include <stdlib.h>

struct list;
struct value {
    int number;
    struct list *items;
};
struct list {
    struct value *value;
    struct list *next;
};

static struct value *value(int number, struct list *items) {
    struct value *v = malloc(sizeof *v);
    if (!v)
        abort();
    *v = (struct value){number, items};
    return v;
}

static struct list *cons(struct value *v, struct list *next) {
    struct list *l = malloc(sizeof *l);
    if (!l)
        abort();
    *l = (struct list){v, next};
    return l;
}

static void list_drop(struct list *l);

static void value_drop(struct value *v) {
#ifdef LEAK
    if (v->number)
#endif
        list_drop(v->items);
    free(v);
}

static void list_drop(struct list *l) {
    if (!l)
        return;
    list_drop(l->next);
    value_drop(l->value);
    free(l);
}

int main(void) {
    struct list *inner = cons(value(2, NULL), cons(value(3, NULL), NULL));
    struct value *root = value(1, cons(value(0, inner), NULL));
    printf("%d\n", root->items->value->number);
    value_drop(root);
    return 0;
}
