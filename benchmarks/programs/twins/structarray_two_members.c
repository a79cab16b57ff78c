/* One of the two members of each entry is released twice as null, the other not at all. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct header {
    char *name, *value;
};

static void header_clear(struct header *h) {
    free(h->name);
    h->name = NULL;
#ifdef LEAK
    free(h->name);
    h->value = NULL;
#else
    free(h->value);
    h->value = NULL;
#endif
}

int main(void) {
    static const char *const raw[] = {"Host: example", "Accept: text", "Connection"};
    struct header h[3];
    for (int i = 0; i < 3; i++) {
        const char *colon = strchr(raw[i], ':');
        h[i].name = colon ? strndup(raw[i], (size_t)(colon - raw[i])) : strdup(raw[i]);
        h[i].value = colon ? strdup(colon + 2) : NULL;
    }
    for (int i = 0; i < 3; i++) {
        printf("%s = %s\n", h[i].name ? h[i].name : "", h[i].value ? h[i].value : "-");
        header_clear(&h[i]);
    }
    return 0;
}
