/* A sorted tree with texts as values. */
struct tree;

int tree_put(struct tree **t, int key, char *value); /* takes the value if it returns 0 */
const char *tree_get(const struct tree *t, int key);
void tree_free(struct tree *t);
