/* The trie is released down to the nodes that end a word; what hangs below them is lost. */
#include <stdio.h>
#include <stdlib.h>

struct trie {
    struct trie *next[26];
    int ends;
};

static void add(struct trie *t, const char *word) {
    for (; *word; word++) {
        struct trie **slot = &t->next[*word - 'a'];
        if (!*slot && !(*slot = calloc(1, sizeof **slot)))
            return;
        t = *slot;
    }
    t->ends = 1;
}

static void drop(struct trie *t) {
    if (!t)
        return;
#ifdef LEAK
    if (!t->ends)
#endif
        for (int i = 0; i < 26; i++)
            drop(t->next[i]);
    free(t);
}

int main(void) {
    struct trie *t = calloc(1, sizeof *t);
    if (!t)
        return 0;
    add(t, "car");
    add(t, "cart");
    add(t, "dog");
    printf("%d\n", t->next['d' - 'a'] != NULL);
    drop(t);
    return 0;
}
