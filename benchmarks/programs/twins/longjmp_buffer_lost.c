/* The jump out of the parser loses the buffer that its frame held. */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static jmp_buf failed;

static int parse(const char *text) {
    char *copy = strdup(text);
    if (!copy)
        longjmp(failed, 1);
    for (char *p = copy; *p; p++)
        if (*p == '?') {
#ifndef LEAK
            free(copy);
#endif
            longjmp(failed, 2);
        }
    int n = (int)strlen(copy);
    free(copy);
    return n;
}

int main(void) {
    int code = setjmp(failed);
    if (code) {
        printf("failed %d\n", code);
        return 0;
    }
    printf("%d\n", parse("good"));
    printf("%d\n", parse("ba?d"));
    return 0;
}
