/* One of the two buffers is declared without the cleanup attribute. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void free_text(char **p) {
    free(*p);
}
#define AUTO __attribute__((cleanup(free_text)))

static int same_sorted(const char *a, const char *b) {
    AUTO char *left = strdup(a);
#ifdef LEAK
    char *right = strdup(b);
#else
    AUTO char *right = strdup(b);
#endif
    if (!left || !right)
        return 0;
    for (char *p = left; *p; p++)
        for (char *q = p + 1; *q; q++)
            if (*q < *p) {
                char t = *p;
                *p = *q;
                *q = t;
            }
    return !strcmp(left, right);
}

int main(void) {
    printf("%d %d\n", same_sorted("cab", "abc"), same_sorted("dog", "abc"));
    return 0;
}
