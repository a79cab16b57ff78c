/* The release of tokens has no case for quoted names. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum type { T_END, T_CHAR, T_NAME, T_QUOTED };
struct token {
    enum type type;
    union {
        int c;
        char *text;
    } u;
};

static struct token lex(const char **at) {
    struct token t = {T_END, {0}};
    if (**at == '\'') {
        size_t n = strcspn(*at + 1, "'");
        t.type = T_QUOTED;
        t.u.text = strndup(*at + 1, n);
        *at += n + 2;
    } else if (**at >= 'a' && **at <= 'z') {
        size_t n = strspn(*at, "abcdefghijklmnopqrstuvwxyz");
        t.type = T_NAME;
        t.u.text = strndup(*at, n);
        *at += n;
    } else if (**at) {
        t.type = T_CHAR;
        t.u.c = *(*at)++;
    }
    return t;
}

static void token_free(struct token *t) {
#ifdef LEAK
    if (t->type == T_NAME)
#else
    if (t->type == T_NAME || t->type == T_QUOTED)
#endif
        free(t->u.text);
}

int main(void) {
    const char *at = "set='a b';end";
    int n = 0;
    for (struct token t = lex(&at); t.type != T_END; t = lex(&at), n++)
        token_free(&t);
    printf("%d\n", n);
    return 0;
}
