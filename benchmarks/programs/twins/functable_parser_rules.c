/* A rule that matched partly returns null and drops the value parsed so far. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef char *rule(const char **at);

static char *number(const char **at) {
    size_t n = strspn(*at, "0123456789");
    if (!n)
        return NULL;
    char *value = strndup(*at, n);
    *at += n;
    return value;
}

static char *percent(const char **at) {
    const char *start = *at;
    char *value = number(at);
    if (!value)
        return NULL;
    if (**at != '%') {
#ifndef LEAK
        free(value);
#endif
        *at = start;
        return NULL;
    }
    ++*at;
    return value;
}

static rule *const rules[] = {percent, number};

int main(void) {
    const char *inputs[] = {"50%", "17", "x"};
    for (int i = 0; i < 3; i++) {
        char *value = NULL;
        for (int r = 0; r < 2 && !value; r++)
            value = rules[r](&inputs[i]);
        printf("%s\n", value ? value : "none");
        free(value);
    }
    return 0;
}
