/* The transition back to idle forgets the token that the reading state has built. */
#include <stdio.h>
#include <stdlib.h>

struct machine {
    char *token;
    int state, length, tokens;
};

static int idle(struct machine *m, char c) {
    if (c == ' ')
        return 0;
    m->token = calloc(1, 16);
    m->length = 0;
    if (m->token)
        m->token[m->length++] = c;
    return m->token ? 1 : 0;
}

static int reading(struct machine *m, char c) {
    if (c != ' ' && m->length < 15) {
        m->token[m->length++] = c;
        return 1;
    }
    m->tokens++;
#ifndef LEAK
    free(m->token);
#endif
    m->token = NULL;
    return 0;
}

static int (*const states[])(struct machine *, char) = {idle, reading};

int main(void) {
    struct machine m = {NULL, 0, 0, 0};
    for (const char *p = "one two  three "; *p; p++)
        m.state = states[m.state](&m, *p);
    printf("%d\n", m.tokens);
    free(m.token);
    return 0;
}
