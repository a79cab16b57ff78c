/* The connection is reset with memset while its inner buffer is still allocated. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct stream {
    char *data;
    size_t size;
};
struct connection {
    int fd;
    struct stream in, out;
};

static void stream_free(struct stream *s) {
    free(s->data);
    s->data = NULL;
    s->size = 0;
}

static void receive(struct connection *c, const char *bytes) {
    stream_free(&c->in);
    c->in.data = strdup(bytes);
    c->in.size = c->in.data ? strlen(bytes) : 0;
}

static void reset(struct connection *c) {
#ifndef LEAK
    stream_free(&c->in);
#endif
    stream_free(&c->out);
    memset(c, 0, sizeof *c);
}

int main(void) {
    struct connection c = {3, {NULL, 0}, {NULL, 0}};
    receive(&c, "GET /");
    receive(&c, "GET /index");
    printf("%zu\n", c.in.size);
    reset(&c);
    receive(&c, "HEAD /");
    reset(&c);
    return 0;
}
