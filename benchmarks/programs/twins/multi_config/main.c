/* Reads a configuration; the leak is in config.c. */
#include "config.h"
#include <stdio.h>

int main(void) {
    struct config *c = config_parse("host=here\nport=8080\nlog=/tmp/log\n");
    if (c)
        printf("%s %d\n", c->host ? c->host : "?", c->port);
    config_free(c);
    config_free(config_parse(""));
    return 0;
}
