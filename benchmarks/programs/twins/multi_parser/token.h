/* Tokens with text of their own. */
struct token {
    char kind;
    char *text;
};

struct token token_next(const char **at);
void token_free(struct token *t);
