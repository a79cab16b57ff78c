/* The message is given to the helper that releases the envelope only, not to the one for both. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct message {
    int kind;
    char *body;
};

static struct message *message_new(int kind, const char *body) {
    struct message *m = malloc(sizeof *m);
    if (!m)
        return NULL;
    m->kind = kind;
    m->body = strdup(body);
    return m;
}

static void message_release(struct message *m) {
    free(m);
}

static void message_destroy(struct message *m) {
    if (!m)
        return;
    free(m->body);
    message_release(m);
}

static char *message_take_body(struct message *m) {
    char *body = m->body;
    message_release(m);
    return body;
}

int main(void) {
    struct message *a = message_new(1, "ping"), *b = message_new(2, "pong");
    message_destroy(message_new(3, "noise"));
    if (a) {
        char *body = message_take_body(a);
        puts(body ? body : "");
        free(body);
    }
#ifdef LEAK
    message_release(b);
#else
    message_destroy(b);
#endif
    return 0;
}
