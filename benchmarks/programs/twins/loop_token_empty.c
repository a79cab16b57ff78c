/* Empty tokens are neither kept nor released by the tokenizer loop. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *next_token(const char **at) {
    if (!**at)
        return NULL;
    size_t n = strcspn(*at, ";");
    char *token = strndup(*at, n);
    *at += n + ((*at)[n] == ';');
    return token;
}

int main(void) {
    const char *at = "load;;store;jump";
    char *token;
    int count = 0;
    while ((token = next_token(&at))) {
#ifdef LEAK
        if (*token) {
            printf("%d %s\n", ++count, token);
            free(token);
        }
#else
        if (*token)
            printf("%d %s\n", ++count, token);
        free(token);
#endif
    }
    return 0;
}
