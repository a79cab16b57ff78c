/* A message whose checksum is wrong is dropped without its body. */
#include "message.h"
#include <stdlib.h>
#include <string.h>

struct message *message_decode(const unsigned char *bytes, unsigned n) {
    if (n < 3 || bytes[1] + 3u > n)
        return NULL;
    struct message *m = malloc(sizeof *m);
    if (!m)
        return NULL;
    m->type = bytes[0];
    m->length = bytes[1];
    m->body = malloc(m->length + 1);
    if (!m->body) {
        free(m);
        return NULL;
    }
    memcpy(m->body, bytes + 2, m->length);
    unsigned char sum = 0;
    for (unsigned i = 0; i < m->length; i++)
        sum = (unsigned char)(sum + m->body[i]);
    if (sum != bytes[m->length + 2]) {
#ifdef LEAK
        free(m);
#else
        message_free(m);
#endif
        return NULL;
    }
    return m;
}

void message_free(struct message *m) {
    if (m)
        free(m->body);
    free(m);
}
