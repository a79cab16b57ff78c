struct row { int v; struct row *next; };
struct store { char *name; struct row *rows; };
struct store *store_open(const char *name);
int store_add(struct store *s, int v);
void store_close(struct store *s);
