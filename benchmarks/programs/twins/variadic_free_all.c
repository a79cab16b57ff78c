/* The list of pointers to release ends at a null pointer that comes too early. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void free_all(int count, ...) {
    va_list list;
    va_start(list, count);
    while (count-- > 0) {
        void *p = va_arg(list, void *);
#ifdef LEAK
        if (!p)
            break;
#endif
        free(p);
    }
    va_end(list);
}

int main(void) {
    char *user = strdup("me"), *password = NULL, *host = strdup("here");
    printf("%s@%s\n", user ? user : "", host ? host : "");
    free_all(3, user, password, host);
    return 0;
}
