/* A list inside a value is released without the values it holds. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind { NIL, STRING, LIST };
struct value {
    enum kind kind;
    union {
        char *string;
        struct {
            struct value *at;
            int n;
        } list;
    } u;
};

static void clear(struct value *v) {
    switch (v->kind) {
    case STRING:
        free(v->u.string);
        break;
    case LIST:
#ifndef LEAK
        for (int i = 0; i < v->u.list.n; i++)
            clear(&v->u.list.at[i]);
#endif
        free(v->u.list.at);
        break;
    case NIL:
        break;
    }
    v->kind = NIL;
}

int main(void) {
    struct value list = {LIST, {NULL}};
    list.u.list.n = 3;
    list.u.list.at = calloc(3, sizeof *list.u.list.at);
    if (!list.u.list.at)
        return 0;
    for (int i = 0; i < 2; i++) {
        list.u.list.at[i].kind = STRING;
        list.u.list.at[i].u.string = strdup("item");
    }
    printf("%d\n", list.u.list.at[2].kind == NIL);
    clear(&list);
    return 0;
}
