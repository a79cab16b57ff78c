/* Nodes that stay alive by members of other nodes: trees, buckets, heaps of trees. */
#include <stdlib.h>
#include <string.h>

struct tree {
    int key;
    char *text;
    struct tree *left, *right;
};

static struct tree *new_tree(int key, const char *text) {
    struct tree *t = calloc(1, sizeof *t);
    if (!t)
        return NULL;
    t->key = key;
    t->text = strdup(text);
    if (!t->text) {
        free(t);
        return NULL;
    }
    return t;
}

int insert(struct tree **root, int key, const char *text) {
    while (*root) {
        if ((*root)->key == key)
            return 0;
        root = key < (*root)->key ? &(*root)->left : &(*root)->right;
    }
    *root = new_tree(key, text);
    return *root != NULL;
}

struct tree *insert_below(struct tree *t, int key, const char *text) {
    if (!t)
        return new_tree(key, text);
    if (key < t->key)
        t->left = insert_below(t->left, key, text);
    else
        t->right = insert_below(t->right, key, text);
    return t;
}

void destroy(struct tree *t) {
    if (!t)
        return;
    destroy(t->left);
    destroy(t->right);
    free(t->text);
    free(t);
}

int built(int n) {
    struct tree *root = NULL;
    for (int i = 0; i < n; i++) {
        if (!insert(&root, i * 7 % 5, "node")) {
            destroy(root);
            return -1;
        }
    }
    for (int i = 0; i < n; i++)
        root = insert_below(root, i, "more");
    destroy(root);
    return 0;
}

int leak_duplicate(struct tree **root, int key, const char *text) {
    struct tree *made = new_tree(key, text);
    if (!made)
        return 0;
    while (*root) {
        if ((*root)->key == key)
            return 0; /* LEAK */
        root = key < (*root)->key ? &(*root)->left : &(*root)->right;
    }
    *root = made;
    return 1;
}

#define BUCKETS 16

struct entry {
    char *name;
    struct entry *next;
};

struct table {
    struct entry *buckets[BUCKETS];
    unsigned count;
};

static unsigned hash(const char *name) {
    unsigned h = 0;
    while (*name)
        h = h * 31 + (unsigned char)*name++;
    return h;
}

int put(struct table *table, const char *name) {
    unsigned bucket = hash(name) % BUCKETS;
    struct entry *e = malloc(sizeof *e);
    if (!e)
        return -1;
    e->name = strdup(name);
    if (!e->name) {
        free(e);
        return -1;
    }
    e->next = table->buckets[bucket];
    table->buckets[bucket] = e;
    table->count++;
    return 0;
}

int leak_name(struct table *table, const char *name) {
    unsigned bucket = hash(name) % BUCKETS;
    char *copy = strdup(name);
    if (!copy)
        return -1;
    struct entry *e = malloc(sizeof *e);
    if (!e)
        return -1; /* LEAK */
    e->name = copy;
    e->next = table->buckets[bucket];
    table->buckets[bucket] = e;
    return 0;
}

void empty(struct table *table) {
    for (int i = 0; i < BUCKETS; i++) {
        struct entry *e = table->buckets[i];
        while (e) {
            struct entry *next = e->next;
            free(e->name);
            free(e);
            e = next;
        }
        table->buckets[i] = NULL;
    }
}

int counted(const char **names, int n) {
    struct table *table = calloc(1, sizeof *table);
    if (!table)
        return -1;
    for (int i = 0; i < n; i++) {
        if (put(table, names[i]) < 0)
            break;
    }
    int count = (int)table->count;
    empty(table);
    free(table);
    return count;
}

/* buf = f(buf): the callee gives back the block, or another one in its place. */
static char *append(char *buffer, size_t *size, const char *text) {
    size_t more = strlen(text);
    char *bigger = realloc(buffer, *size + more + 1);
    if (!bigger) {
        free(buffer);
        return NULL;
    }
    memcpy(bigger + *size, text, more + 1);
    *size += more;
    return bigger;
}

char *together(const char **texts, int n) {
    size_t size = 0;
    char *buffer = NULL;
    for (int i = 0; i < n; i++) {
        buffer = append(buffer, &size, texts[i]);
        if (!buffer)
            return NULL;
    }
    return buffer;
}

static char *grown(char *buffer, size_t size) {
    char *bigger = realloc(buffer, size);
    return bigger;
}

char *leak_twice(size_t size) {
    char *buffer = malloc(size);
    if (!buffer)
        return NULL;
    buffer = grown(buffer, 2 * size); /* LEAK */
    return buffer;
}

/* A binomial heap: trees of equal rank become one. */
struct node {
    int key, rank;
    struct node *child, *sibling;
};

struct node *link_trees(struct node *one, struct node *other) {
    if (other->key < one->key) {
        struct node *swapped = one;
        one = other;
        other = swapped;
    }
    other->sibling = one->child;
    one->child = other;
    one->rank++;
    return one;
}

struct node *merge(struct node *one, struct node *other) {
    struct node *head = NULL, **end = &head;
    while (one && other) {
        struct node **smaller = one->rank <= other->rank ? &one : &other;
        *end = *smaller;
        *smaller = (*smaller)->sibling;
        end = &(*end)->sibling;
    }
    *end = one ? one : other;
    return head;
}

struct node *push(struct node *heap, int key) {
    struct node *made = calloc(1, sizeof *made);
    if (!made)
        return heap;
    made->key = key;
    if (heap && heap->rank == 0) {
        struct node *rest = heap->sibling;
        heap->sibling = NULL;
        return merge(link_trees(made, heap), rest);
    }
    return merge(made, heap);
}

void free_heap(struct node *heap) {
    while (heap) {
        struct node *next = heap->sibling;
        free_heap(heap->child);
        free(heap);
        heap = next;
    }
}

int least(const int *keys, int n) {
    struct node *heap = NULL;
    int found = 0;
    for (int i = 0; i < n; i++)
        heap = push(heap, keys[i]);
    for (struct node *each = heap; each; each = each->sibling)
        found = each->key < found ? each->key : found;
    free_heap(heap);
    return found;
}

int leak_pushed(struct node **heap, int key, int most) {
    struct node *made = calloc(1, sizeof *made);
    if (!made)
        return -1;
    made->key = key;
    if (key > most)
        return -1; /* LEAK */
    *heap = merge(made, *heap);
    return 0;
}

/* A flag that a callee sets, a loop that always runs, one that never ends. */
static int load(int n, char **out, int *made) {
    *made = 0;
    if (n < 0)
        return -1;
    *out = malloc(n + 1);
    if (!*out)
        return -1;
    *made = 1;
    return 0;
}

int flagged(int n) {
    char *text = NULL;
    int made;
    int status = load(n, &text, &made);
    if (made)
        free(text);
    return status;
}

int always_runs(void) {
    char *parts[3];
    for (int i = 0; i < 3; i++)
        parts[i] = malloc(8);
    for (int i = 0; i < 3; i++)
        free(parts[i]);
    return 0;
}

void leak_forever(int (*next)(void)) {
    for (;;) {
        char *line = malloc(80); /* LEAK */
        if (!line)
            continue;
        if (next())
            continue;
        free(line);
    }
}
