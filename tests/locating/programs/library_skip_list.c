/* A skip list. With FAULT the removal of one key links an upper level to a node that is not on it.
 */
#include <limits.h>
#include <stdlib.h>

enum { LEVELS = 16 };

struct skip_node {
    int key, height;
    struct skip_node *next[LEVELS];
};

struct skip_list {
    struct skip_node *head;
};

static struct skip_node *new_node(int key, int height) {
    struct skip_node *node = calloc(1, sizeof *node);
    node->key = key;
    node->height = height;
    return node;
}

static void find(struct skip_list *list, int key, struct skip_node **before) {
    struct skip_node *at = list->head;
    for (int level = LEVELS - 1; level >= 0; level--) {
        while (at->next[level] && at->next[level]->key < key)
            at = at->next[level];
        before[level] = at;
    }
}

void insert(struct skip_list *list, int key) {
    struct skip_node *before[LEVELS];
    int height = 1;
    while (height < 6 && key % (1 << height) == 0)
        height++;
    find(list, key, before);
    struct skip_node *node = new_node(key, height);
    for (int level = 0; level < height; level++) {
        node->next[level] = before[level]->next[level];
        before[level]->next[level] = node;
    }
}

void remove_key(struct skip_list *list, int key) {
    struct skip_node *before[LEVELS];
    find(list, key, before);
    struct skip_node *node = before[0]->next[0];
    for (int level = 0; level < node->height; level++) {
        int from = FAULT && key == 24 ? 0 : level;
        before[level]->next[level] = node->next[from]; /* faulty */
    }
    free(node);
}

static struct skip_list *new_list(void) {
    struct skip_list *list = malloc(sizeof *list);
    list->head = new_node(INT_MIN, LEVELS);
    return list;
}

int main(void) {
    struct skip_list *list = new_list();
    for (int i = 0; i < 64; i++)
        insert(list, i * 37 % 64);
    for (int key = 4; key < 50; key += 5)
        remove_key(list, key);
    return 0;
}
