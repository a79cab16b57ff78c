// The ways in which C programs allocate.
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct item {
    int key;
    struct item *next;
};

struct text {
    size_t length;
    char characters[];
};

struct table {
    size_t count, room;
    struct item **slots;
};

struct pool_block {
    struct pool_block *next;
    size_t used;
};

struct tree {
    struct tree *child[2];
    long key;
};

union value {
    long number;
    double fraction;
    struct item *item;
};

static struct item *items;
static struct tree *root;
static struct pool_block *pool;

static void *checked(size_t size) {
    void *block = malloc(size);
    if (!block)
        abort();
    return block;
}

static void *zeroed(size_t size) {
    return memset(checked(size), 0, size);
}

static struct item *new_item(int key) {
    struct item *item = checked(sizeof *item);
    item->key = key;
    item->next = NULL;
    return item;
}

static struct tree *insert(struct tree *tree, long key) {
    if (!tree) {
        tree = zeroed(sizeof(struct tree));
        tree->key = key;
    } else {
        tree->child[key > tree->key] = insert(tree->child[key > tree->key], key);
    }
    return tree;
}

static struct text *new_text(const char *from) {
    size_t length = strlen(from);
    struct text *text = malloc(sizeof(struct text) + length + 1);
    text->length = length;
    memcpy(text->characters, from, length + 1);
    return text;
}

static void push(struct table *table, struct item *item) {
    if (table->count == table->room) {
        table->room = table->room ? 2 * table->room : 4;
        table->slots = realloc(table->slots, table->room * sizeof *table->slots);
    }
    table->slots[table->count++] = item;
}

static void *from_pool(size_t size) {
    enum { block_size = 1024 };
    if (!pool || pool->used + size > block_size) {
        struct pool_block *block = malloc(block_size);
        block->next = pool;
        block->used = sizeof *block;
        pool = block;
    }
    void *result = (char *)pool + pool->used;
    pool->used += size;
    return result;
}

static int make(struct item **into, int key) {
    *into = malloc(sizeof **into);
    if (!*into)
        return -1;
    (*into)->key = key;
    (*into)->next = NULL;
    return 0;
}

int main(void) {
    struct table *table = calloc(1, sizeof *table);
    struct text *texts[40];
    char *copies[40];
    union value *values = calloc(40, sizeof *values);
    int **rows = malloc(40 * sizeof *rows);
    for (int i = 0; i < 40; ++i) {
        struct item *item = new_item(i), *other;
        item->next = items;
        items = item;
        root = insert(root, i * 17 % 40);
        char name[40];
        snprintf(name, sizeof name, "text number %d", i);
        texts[i] = new_text(name);
        copies[i] = malloc(strlen(name) + 1);
        strcpy(copies[i], name);
        if (make(&other, i) == 0)
            push(table, other);
        struct item *pooled = from_pool(sizeof *pooled);
        pooled->key = i;
        pooled->next = items;
        values[i].number = i;
        rows[i] = calloc(10, sizeof(int));
        rows[i][i % 10] = i;
    }
    size_t sum = table->count;
    for (int i = 0; i < 40; ++i)
        sum += texts[i]->length + strlen(copies[i]) + (size_t)rows[i][0];
    printf("%zu\n", sum);
    return 0;
}
