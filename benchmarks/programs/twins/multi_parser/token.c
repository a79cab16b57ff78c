/* Cuts a text into words and single characters. */
#include "token.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct token token_next(const char **at) {
    struct token t = {'e', NULL};
    while (isspace((unsigned char)**at))
        ++*at;
    if (isalpha((unsigned char)**at)) {
        size_t n = 0;
        while (isalnum((unsigned char)(*at)[n]))
            n++;
        t.kind = 'w';
        t.text = strndup(*at, n);
        *at += n;
    } else if (**at) {
        t.kind = *(*at)++;
    }
    return t;
}

void token_free(struct token *t) {
    free(t->text);
    t->text = NULL;
}
