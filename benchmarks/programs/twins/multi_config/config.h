/* Configuration of two sections. */
struct config {
    char *host;
    char *log;
    int port;
};

struct config *config_parse(const char *text);
void config_free(struct config *c);
