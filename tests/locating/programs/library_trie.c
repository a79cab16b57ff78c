/* A trie of words. With FAULT one insertion puts a new node where there is one already. */
#include <stdlib.h>
#include <string.h>

struct trie_node {
    int ends_word;
    struct trie_node *child[26];
};

struct trie {
    struct trie_node *root;
};

void insert(struct trie *trie, const char *word) {
    struct trie_node *at = trie->root;
    for (const char *letter = word; *letter; letter++) {
        struct trie_node **child = &at->child[*letter - 'a'];
        if (!*child || (FAULT && !strcmp(word, "cart") && letter == word + 2))
            *child = calloc(1, sizeof **child); /* faulty */
        at = *child;
    }
    at->ends_word = 1;
}

static int is_leaf(const struct trie_node *node) {
    for (int i = 0; i < 26; i++)
        if (node->child[i])
            return 0;
    return 1;
}

/* Whether the node is of no more use. */
static int remove_below(struct trie_node *node, const char *word) {
    if (!*word) {
        node->ends_word = 0;
        return is_leaf(node);
    }
    struct trie_node **child = &node->child[*word - 'a'];
    if (*child && remove_below(*child, word + 1)) {
        free(*child);
        *child = NULL;
    }
    return !node->ends_word && is_leaf(node);
}

void remove_word(struct trie *trie, const char *word) {
    remove_below(trie->root, word);
}

static struct trie *new_trie(void) {
    struct trie *trie = malloc(sizeof *trie);
    trie->root = calloc(1, sizeof *trie->root);
    return trie;
}

int main(void) {
    static const char *words[] = {"car",  "care", "cat",  "dog",  "do",   "done",
                                  "cart", "a",    "ants", "ante", "zebra"};
    struct trie *trie = new_trie();
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        insert(trie, words[i]);
    remove_word(trie, "zebra");
    remove_word(trie, "do");
    remove_word(trie, "ants");
    return 0;
}
