/* The context with the jump buffer is released by the handler, its scratch memory is not. */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

struct context {
    jmp_buf escape;
    char *scratch;
    int errors;
};

static void fail(struct context *c) {
    c->errors++;
    longjmp(c->escape, 1);
}

static void compile(struct context *c, const char *source) {
    c->scratch = malloc(32);
    if (!c->scratch)
        fail(c);
    if (source[0] == '!')
        fail(c);
    snprintf(c->scratch, 32, "<%s>", source);
    puts(c->scratch);
    free(c->scratch);
    c->scratch = NULL;
}

static void run(const char *source) {
    struct context *c = calloc(1, sizeof *c);
    if (!c)
        return;
    if (setjmp(c->escape) == 0) {
        compile(c, source);
    } else {
        printf("%d error\n", c->errors);
#ifndef LEAK
        free(c->scratch);
#endif
    }
    free(c);
}

int main(void) {
    run("main");
    run("!main");
    return 0;
}
