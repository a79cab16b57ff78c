/* The new value is swapped in and the old one handed out, but nobody takes it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void exchange(char **slot, char *fresh, char **old) {
    *old = *slot;
    *slot = fresh;
}

int main(void) {
    char *current = strdup("v1"), *old = NULL;
    exchange(&current, strdup("v2"), &old);
    printf("%s -> %s\n", old ? old : "", current ? current : "");
#ifdef LEAK
    exchange(&current, strdup("v3"), &old);
#else
    free(old);
    exchange(&current, strdup("v3"), &old);
#endif
    printf("%s -> %s\n", old ? old : "", current ? current : "");
    free(old);
    free(current);
    return 0;
}
