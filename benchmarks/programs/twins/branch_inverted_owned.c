/* The test of the flag that says who owns the text is inverted. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct text {
    const char *data;
    int owned;
};

static struct text text_of(const char *literal, int upper) {
    struct text t = {literal, 0};
    if (upper) {
        char *copy = strdup(literal);
        if (copy) {
            for (char *p = copy; *p; p++)
                if (*p >= 'a' && *p <= 'z')
                    *p = (char)(*p - 32);
            t.data = copy;
            t.owned = 1;
        }
    }
    return t;
}

static void text_drop(struct text *t) {
#ifdef LEAK
    if (!t->owned)
        t->data = "";
#else
    if (t->owned)
        free((char *)t->data);
#endif
    t->data = "";
    t->owned = 0;
}

int main(void) {
    struct text plain = text_of("plain", 0), loud = text_of("loud", 1);
    printf("%s %s\n", plain.data, loud.data);
    text_drop(&plain);
    text_drop(&loud);
    return 0;
}
