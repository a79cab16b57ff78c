/* Counts the words of standard input in libiberty's splay tree and prints the ten most frequent. */
#include "config.h"

#include "libiberty.h"
#include "splay-tree.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct top {
    const char *word[10];
    unsigned long count[10];
};

static int keep_frequent(splay_tree_node node, void *data) {
    struct top *top = data;
    int place = 9;
    if (node->value <= top->count[9])
        return 0;
    while (place > 0 && top->count[place - 1] < node->value) {
        top->count[place] = top->count[place - 1];
        top->word[place] = top->word[place - 1];
        place--;
    }
    top->count[place] = node->value;
    top->word[place] = (const char *)node->key;
    return 0;
}

static void count(splay_tree words, const char *word) {
    splay_tree_node node = splay_tree_lookup(words, (splay_tree_key)word);
    if (node)
        node->value++;
    else
        splay_tree_insert(words, (splay_tree_key)xstrdup(word), 1);
}

int main(void) {
    splay_tree words = splay_tree_new(splay_tree_compare_strings, NULL, NULL);
    struct top top = {{0}, {0}};
    char word[64];
    size_t length = 0;
    for (int c = getchar(); c != EOF; c = getchar()) {
        if (isalpha(c) && length < sizeof word - 1) {
            word[length++] = (char)tolower(c);
        } else if (length) {
            word[length] = 0;
            count(words, word);
            length = 0;
        }
    }
    splay_tree_foreach(words, keep_frequent, &top);
    for (int i = 0; i < 10 && top.word[i]; i++)
        printf("%lu %s\n", top.count[i], top.word[i]);
    return 0;
}
