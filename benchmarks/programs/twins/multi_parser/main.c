/* On a syntax error the parser returns with the second word in its hand. */
#include "token.h"
#include <stdio.h>

static int assignment(const char *source) {
    struct token name = token_next(&source), sign = token_next(&source),
                 value = token_next(&source);
    int ok = 0;
    if (name.kind != 'w' || sign.kind != '=') {
        token_free(&name);
        token_free(&sign);
#ifndef LEAK
        token_free(&value);
#endif
        return -1;
    }
    ok = value.kind == 'w';
    token_free(&name);
    token_free(&sign);
    token_free(&value);
    return ok;
}

int main(void) {
    printf("%d %d %d\n", assignment("a = b"), assignment("a = 3"), assignment("a + b"));
    return 0;
}
