/* One pointer of each kind: live, NULL, dangling, aliased (its memory given out again), wild. */
#include <stdlib.h>

struct node {
    struct node *next;
    int key;
};

struct node *live, *empty, *dangling, *aliased, *reusing, *wild;

int main(void) {
    live = malloc(sizeof *live);
    live->key = 1;
    live->next = NULL;
    dangling = malloc(sizeof *dangling);
    dangling->key = 2;
    aliased = malloc(sizeof *aliased);
    aliased->key = 3;
    free(aliased);
    reusing = malloc(sizeof *reusing); /* takes the same memory */
    reusing->key = 4;
    free(dangling);
    wild = (struct node *)0x123456789ab0;
    return 0;
}
