/* The output parameter is filled twice in a loop without releasing the first result. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int lookup(const char *key, char **value) {
    if (*key == '-')
        return -1;
    *value = strdup(key + 1);
    return *value ? 0 : -1;
}

static char *first_of(const char *const *keys) {
    char *value = NULL;
    for (; *keys; keys++) {
        char *found = NULL;
        if (lookup(*keys, &found))
            continue;
#ifndef LEAK
        free(value);
#endif
        value = found;
    }
    return value;
}

int main(void) {
    static const char *const keys[] = {"-none", "+home", "+work", NULL};
    char *value = first_of(keys);
    puts(value ? value : "?");
    free(value);
    return 0;
}
