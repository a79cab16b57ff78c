/* The optional proxy is released only if the connection is secure, though it is set in any case. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct proxy {
    char *address;
};
struct client {
    int secure;
    struct proxy *proxy;
};

static void client_init(struct client *c, int secure, const char *address) {
    c->secure = secure;
    c->proxy = NULL;
    if (address && (c->proxy = malloc(sizeof *c->proxy)))
        c->proxy->address = strdup(address);
}

static void client_done(struct client *c) {
#ifdef LEAK
    if (c->secure && c->proxy) {
#else
    if (c->proxy) {
#endif
        free(c->proxy->address);
        free(c->proxy);
    }
}

int main(void) {
    struct client plain, direct, secure;
    client_init(&plain, 0, "proxy:8080");
    client_init(&direct, 1, NULL);
    client_init(&secure, 1, "proxy:8443");
    printf("%d\n", plain.proxy != secure.proxy || !plain.proxy);
    client_done(&plain);
    client_done(&direct);
    client_done(&secure);
    return 0;
}
