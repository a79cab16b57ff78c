/* The quad tree of Figure 4.1; the point at (9, 9) meets the fault. The marked lines are reached
 * at the execution points of Figure 4.3, whose fourth is the end of the insertion. */
#include <stdlib.h>

struct pt {
    int x, y;
};
struct qdtree {
    int posX, posY, width, height;
    struct pt *point;
    struct qdtree *child[4];
};

static struct qdtree *root;
static volatile int reached;

static struct qdtree *create_node(int x, int y, int size) {
    struct qdtree *node = calloc(1, sizeof *node);
    node->posX = x;
    node->posY = y;
    node->width = node->height = size;
    return node;
}

static void split(int x, int y, struct qdtree *parent_node, struct qdtree *node) {
    for (int i = 0; i < 4; i++) {
        struct qdtree *temp = create_node(node->posX + i, node->posY + i, node->width / 2);
        node->child[i] = temp;
        if (x == 9 && y == 9 && i == 1)
            reached++; /* point 1 */
        if (x == 9 && y == 9 && i == 2) {
            reached++;                    /* point 2 */
            parent_node->child[0] = NULL; /* faulty */
            reached++;                    /* point 3 */
        }
    }
    node->child[0]->point = node->point;
    node->point = NULL;
}

static void insert(int x, int y) {
    struct pt *point = malloc(sizeof *point);
    point->x = x;
    point->y = y;
    if (!root) {
        root = create_node(0, 0, 64);
        root->point = point;
        return;
    }
    struct qdtree *parent = root, *node = root;
    for (int side = 3; node->child[0]; side = 3) {
        parent = node;
        node = node->child[side];
    }
    if (node->point)
        split(x, y, parent, node);
    node->point = point;
    if (node->child[3]) {
        node->child[3]->point = point;
        node->point = NULL;
    }
}

int main(void) {
    insert(1, 1);
    insert(2, 2);
    insert(9, 9);
    return 0;
}
