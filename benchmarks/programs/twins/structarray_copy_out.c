/* The element is copied out of the array and the copy replaced; the original text is lost. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct option {
    const char *key;
    char *value;
};

static void set(struct option *options, int n, const char *key, const char *value) {
    for (int i = 0; i < n; i++) {
        struct option o = options[i];
        if (strcmp(o.key, key))
            continue;
#ifndef LEAK
        free(o.value);
#endif
        o.value = strdup(value);
        options[i] = o;
    }
}

int main(void) {
    struct option options[] = {{"color", NULL}, {"depth", NULL}};
    set(options, 2, "color", "red");
    set(options, 2, "color", "blue");
    set(options, 2, "depth", "8");
    for (int i = 0; i < 2; i++) {
        printf("%s %s\n", options[i].key, options[i].value ? options[i].value : "");
        free(options[i].value);
    }
    return 0;
}
