/* The release is guarded by the wrong pointer. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_pair(const char *key, const char *value) {
    char *k = strdup(key);
    char *v = value ? strdup(value) : NULL;
    if (k)
        printf("%s=%s\n", k, v ? v : "(none)");
    if (v)
        free(v);
#ifdef LEAK
    if (v && k)
        free(k);
#else
    if (k)
        free(k);
#endif
}

int main(void) {
    print_pair("host", "localhost");
    print_pair("proxy", NULL);
    return 0;
}
