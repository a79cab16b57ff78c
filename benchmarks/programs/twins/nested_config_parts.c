/* The inner structure of the configuration is released without its list of hosts. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct network {
    char *host;
    int port;
};
struct config {
    struct network primary, backup;
    char *title;
};

static void network_init(struct network *n, const char *host, int port) {
    n->host = strdup(host);
    n->port = port;
}

static void config_free(struct config *c) {
    free(c->title);
    free(c->primary.host);
#ifndef LEAK
    free(c->backup.host);
#endif
    free(c);
}

int main(void) {
    struct config *c = calloc(1, sizeof *c);
    if (!c)
        return 0;
    c->title = strdup("service");
    network_init(&c->primary, "a.example", 80);
    network_init(&c->backup, "b.example", 81);
    printf("%d\n", c->primary.port + c->backup.port);
    config_free(c);
    return 0;
}
