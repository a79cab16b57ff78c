// Each marked line allocates blocks of the type that the mark says, however it is compiled.
#include <stdlib.h>
#include <string.h>

struct item {
    int key;
    struct item *next;
};
struct tree {
    struct tree *child[2];
    long key;
};
struct shape {
    int kind;
    struct shape *next;
};
struct circle {
    struct shape base;
    double radius;
};
struct text {
    size_t length;
    char characters[];
};
struct registry {
    size_t count;
    struct item **slots;
};

static struct item *items;
static struct tree *root;
static struct shape *shapes;
static void *(*allocate)(size_t) = malloc;
struct registry *kept; // or a compiler leaves it out

static struct item *new_item(int key) {
    struct item *item = allocate(sizeof *item); // is struct item
    item->key = key;
    item->next = NULL;
    return item;
}

static void insert(struct tree **at, long key) {
    while (*at)
        at = &(*at)->child[key > (*at)->key];
    *at = calloc(1, sizeof **at); // is struct tree
    (*at)->key = key;
}

static struct shape *new_shape(int kind, size_t size) {
    struct shape *shape = malloc(size);
    shape->kind = kind;
    shape->next = shapes;
    return shape;
}

static void add_circle(double radius) {
    struct circle *circle = malloc(sizeof *circle); // is struct circle
    circle->base.kind = 1;
    circle->base.next = shapes;
    circle->radius = radius;
    shapes = &circle->base;
}

static size_t add_text(const char *from) {
    static struct text *last;
    size_t length = strlen(from);
    struct text *text = malloc(sizeof *text + length + 1); // is struct text
    text->length = length;
    memcpy(text->characters, from, length + 1);
    length += last ? last->length : 0;
    last = text;
    return length;
}

int main(int argc, char **argv) {
    struct registry *registry = calloc(1, sizeof *registry); // is struct registry
    kept = registry;
    registry->slots = malloc(20 * sizeof *registry->slots); // is struct item *
    size_t sum = 0;
    for (int i = 0; i < 20; ++i) {
        struct item *item = new_item(i);
        item->next = items;
        items = item;
        registry->slots[registry->count++] = item;
        insert(&root, i * 7 % 20);
        add_circle(i);
        sum += add_text(argv[argc - 1]);
    }
    shapes = new_shape(2, sizeof(struct shape));
    return sum == 0;
}
