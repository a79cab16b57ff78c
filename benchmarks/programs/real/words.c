/* Counts the words of standard input in libiberty's splay tree, keyed by a hash of the word, and
   prints how many there are and how often the most frequent ones occur. */
#include "config.h"

#include "libiberty.h"
#include "splay-tree.h"

#include <ctype.h>
#include <stdio.h>

struct most {
    unsigned long words;
    unsigned long times;
};

static int keep_most(splay_tree_node node, void *data) {
    struct most *most = data;
    most->words++;
    if (node->value > most->times)
        most->times = node->value;
    return 0;
}

static void count(splay_tree words, splay_tree_key hash) {
    splay_tree_node node = splay_tree_lookup(words, hash);
    if (node)
        node->value++;
    else
        splay_tree_insert(words, hash, 1);
}

int main(void) {
    splay_tree words = splay_tree_new(splay_tree_compare_pointers, NULL, NULL);
    struct most most = {0, 0};
    splay_tree_key hash = 0;
    for (int c = getchar(); c != EOF; c = getchar()) {
        if (isalpha(c)) {
            hash = (hash + (splay_tree_key)tolower(c)) * 0x100000001b3u;
        } else if (hash) {
            count(words, hash);
            hash = 0;
        }
    }
    splay_tree_foreach(words, keep_most, &most);
    printf("%lu words, up to %lu times\n", most.words, most.times);
    return 0;
}
