/* The tag is changed to a number before the text of the value is released. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct value {
    enum { NUMBER, TEXT } tag;
    union {
        double number;
        char *text;
    } as;
};

static void value_clear(struct value *v) {
    if (v->tag == TEXT)
        free(v->as.text);
    v->tag = NUMBER;
    v->as.number = 0;
}

static void set_text(struct value *v, const char *text) {
    char *copy = strdup(text);
    if (!copy)
        return;
    value_clear(v);
    v->tag = TEXT;
    v->as.text = copy;
}

static void set_number(struct value *v, double number) {
#ifdef LEAK
    v->tag = NUMBER;
#endif
    value_clear(v);
    v->as.number = number;
}

int main(void) {
    struct value v = {NUMBER, {0}};
    set_text(&v, "one");
    set_text(&v, "two");
    set_number(&v, 3);
    printf("%.0f\n", v.as.number);
    value_clear(&v);
    return 0;
}
