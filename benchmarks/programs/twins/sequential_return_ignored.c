/* The function that detaches the payload returns it to the caller, who ignores it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct packet {
    size_t size;
    unsigned char *payload;
};

static unsigned char *packet_detach(struct packet *p) {
    unsigned char *payload = p->payload;
    p->payload = NULL;
    p->size = 0;
    return payload;
}

int main(void) {
    struct packet p = {16, malloc(16)};
    if (!p.payload)
        return 0;
    memset(p.payload, 0x5a, p.size);
    printf("%u\n", p.payload[3]);
#ifdef LEAK
    packet_detach(&p);
#else
    free(packet_detach(&p));
#endif
    free(p.payload);
    return 0;
}
