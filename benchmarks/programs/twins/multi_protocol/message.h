/* Messages of a protocol. */
struct message {
    int type;
    unsigned length;
    unsigned char *body;
};

struct message *message_decode(const unsigned char *bytes, unsigned n);
void message_free(struct message *m);
