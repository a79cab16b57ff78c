/* The pointer is set to null so that the cleanup keeps its hands off, but is not returned. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void drop(char **p) {
    free(*p);
}

static char *steal(char **p) {
    char *taken = *p;
    *p = NULL;
    return taken;
}

static char *greeting(const char *name) {
    __attribute__((cleanup(drop))) char *text = malloc(strlen(name) + 8);
    if (!text)
        return NULL;
    sprintf(text, "hello %s", name);
    if (strlen(name) > 5) {
#ifdef LEAK
        steal(&text);
#endif
        return NULL;
    }
    return steal(&text);
}

int main(void) {
    char *a = greeting("Eve"), *b = greeting("Bartholomew");
    printf("%s %d\n", a ? a : "?", b == NULL);
    free(a);
    free(b);
    return 0;
}
