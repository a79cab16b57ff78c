/* The release of the configuration forgets the name of the log. */
#include "config.h"
#include <stdlib.h>
#include <string.h>

static char *value_of(const char *text, const char *key) {
    const char *at = strstr(text, key);
    if (!at)
        return NULL;
    at += strlen(key);
    return strndup(at, strcspn(at, "\n"));
}

struct config *config_parse(const char *text) {
    struct config *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->host = value_of(text, "host=");
    c->log = value_of(text, "log=");
    char *port = value_of(text, "port=");
    c->port = port ? atoi(port) : 80;
    free(port);
    return c;
}

void config_free(struct config *c) {
    if (!c)
        return;
    free(c->host);
#ifndef LEAK
    free(c->log);
#endif
    free(c);
}
