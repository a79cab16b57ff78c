/* The error object that travels with the jump is not released by the one who catches it. */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

struct error {
    int line;
    char what[24];
};
static jmp_buf catcher;
static struct error *raised;

static void raise_error(int line, const char *what) {
    raised = malloc(sizeof *raised);
    if (raised) {
        raised->line = line;
        snprintf(raised->what, sizeof raised->what, "%s", what);
    }
    longjmp(catcher, 1);
}

static int attempt(int line) {
    if (setjmp(catcher)) {
        if (raised)
            printf("%d: %s\n", raised->line, raised->what);
#ifndef LEAK
        free(raised);
#endif
        raised = NULL;
        return -1;
    }
    if (line % 2)
        raise_error(line, "odd line");
    return line;
}

int main(void) {
    for (int line = 0; line < 4; line++)
        printf("%d\n", attempt(line));
    return 0;
}
