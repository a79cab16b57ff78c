/* Assigning one value to another copies the text but keeps what the target held. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct json {
    char tag;
    union {
        int b;
        double n;
        char *s;
    } u;
};

static void drop(struct json *j) {
    if (j->tag == 's')
        free(j->u.s);
    j->tag = '0';
}

static void assign(struct json *to, const struct json *from) {
    struct json copy = *from;
    if (copy.tag == 's')
        copy.u.s = strdup(from->u.s);
#ifdef LEAK
    if (from->tag == to->tag && to->tag != 's')
        drop(to);
#else
    drop(to);
#endif
    *to = copy;
}

int main(void) {
    struct json name = {'s', {.s = strdup("name")}}, count = {'n', {.n = 2}}, target = {'0', {0}};
    if (!name.u.s)
        return 0;
    assign(&target, &name);
    assign(&target, &name);
    assign(&target, &count);
    printf("%c\n", target.tag);
    drop(&target);
    drop(&name);
    drop(&count);
    return 0;
}
