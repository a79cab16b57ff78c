/* The inner handler passes the exception on and forgets its own copy. */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static jmp_buf *handler;

static void inner(const char *name) {
    jmp_buf here, *outer = handler;
    char *volatile copy = strdup(name);
    if (setjmp(here)) {
        handler = outer;
#ifndef LEAK
        free(copy);
#endif
        longjmp(*outer, 1);
    }
    handler = &here;
    if (!copy || strlen(copy) > 4)
        longjmp(*handler, 1);
    printf("%s\n", copy);
    handler = outer;
    free(copy);
}

int main(void) {
    jmp_buf top;
    handler = &top;
    if (setjmp(top)) {
        puts("too long");
        return 0;
    }
    inner("abc");
    inner("abcdef");
    return 0;
}
