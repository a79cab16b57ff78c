/* Blocks that end at a page: the statement that touches what is beyond is where it faults. */
#include <stdlib.h>
#include <string.h>

static char *volatile block;

/* (volatile: a call in place of a return would leave no frame of it) */
__attribute__((noinline)) static char *make(size_t size) {
    char *volatile made = malloc(size); /* made */
    return made;
}

int main(int count, char **words) {
    (void)count;
    volatile char byte = 0;
    for (int i = 0; i < 5000; i++) { /* more than there are places */
        block = make(40);
        memset(block, 1, 40);
        block = realloc(block, 64);
        free(block);
    }
    block = make(64);
    if (!strcmp(words[1], "write"))
        block[64] = 1; /* write */
    if (!strcmp(words[1], "read"))
        byte = block[70]; /* read */
    if (!strcmp(words[1], "slack")) {
        block = make(60);
        block[61] = 1;
        free(block); /* slack */
    }
    if (!strcmp(words[1], "twice")) {
        free(block);
        free(block); /* twice */
    }
    if (!strcmp(words[1], "freed")) {
        free(block);
        byte = block[3]; /* freed */
    }
    return 3 + byte;
}
