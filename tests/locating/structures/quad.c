/* Point quad tree over a square of integer coordinates. A node is either a leaf with at most one
   point or has four children, one a quadrant; points live in leaves alone. */
#include "driver.h"

struct point {
    int x;
    int y;
};

struct quad {
    int x; /* left edge */
    int y; /* lower edge */
    int width;
    int height;
    struct point *point;
    struct quad *child[4]; /* south-west, south-east, north-west, north-east */
};

struct quad_tree {
    struct quad *root;
};

static struct quad *quad_new(int x, int y, int width, int height) {
    struct quad *node = malloc(sizeof *node);
    must_have(node != NULL);
    node->x = x;
    node->y = y;
    node->width = width;
    node->height = height;
    node->point = NULL;
    for (int i = 0; i < 4; i++)
        node->child[i] = NULL;
    return node;
}

static struct point *point_new(int x, int y) {
    struct point *point = malloc(sizeof *point);
    must_have(point != NULL);
    point->x = x;
    point->y = y;
    return point;
}

static struct quad_tree *quad_tree_new(int size) {
    struct quad_tree *tree = malloc(sizeof *tree);
    must_have(tree != NULL);
    tree->root = quad_new(0, 0, size, size);
    return tree;
}

static int is_leaf(const struct quad *node) {
    return node->child[0] == NULL;
}

static int quadrant_of(const struct quad *node, int x, int y) {
    int east = x >= node->x + node->width / 2;
    int north = y >= node->y + node->height / 2;
    return 2 * north + east;
}

static struct quad *leaf_for(struct quad *node, int x, int y) {
    while (!is_leaf(node))
        node = node->child[quadrant_of(node, x, y)];
    return node;
}

/* Turns a leaf into four; its point goes down into the quadrant it lies in. */
static void quad_split(struct quad *node) {
    int west = node->width / 2;
    int south = node->height / 2;
    int east = node->width - west;
    int north = node->height - south;
    node->child[0] = quad_new(node->x, node->y, west, south);
    node->child[1] = quad_new(node->x + west, node->y, east, south);
    node->child[2] = quad_new(node->x, node->y + south, west, north);
    node->child[3] = quad_new(node->x + west, node->y + south, east, north);
    if (node->point) {
        int quadrant = quadrant_of(node, node->point->x, node->point->y);
        node->child[quadrant]->point = node->point;
        node->point = NULL;
    }
}

static int quad_insert(struct quad_tree *tree, int x, int y) {
    struct quad *leaf = leaf_for(tree->root, x, y);
    if (leaf->point && leaf->point->x == x && leaf->point->y == y)
        return 0;
    while (leaf->point) {
        quad_split(leaf);
        leaf = leaf->child[quadrant_of(leaf, x, y)];
    }
    leaf->point = point_new(x, y);
    return 1;
}

static int quad_contains(const struct quad_tree *tree, int x, int y) {
    const struct quad *leaf = leaf_for(tree->root, x, y);
    return leaf->point && leaf->point->x == x && leaf->point->y == y;
}

/* The one point below four leaves, how many there are at most two being told apart; -1 where a
   child is no leaf. */
static int points_below(const struct quad *node, struct point **only) {
    int points = 0;
    for (int i = 0; i < 4; i++) {
        if (!is_leaf(node->child[i]))
            return -1;
        if (node->child[i]->point) {
            *only = node->child[i]->point;
            points++;
        }
    }
    return points;
}

/* Makes an inner node a leaf again where its four children hold no more than one point. */
static int quad_join(struct quad *node) {
    struct point *only = NULL;
    int points = points_below(node, &only);
    if (points < 0 || points > 1)
        return 0;
    for (int i = 0; i < 4; i++) {
        free(node->child[i]);
        node->child[i] = NULL;
    }
    node->point = only;
    return 1;
}

static int remove_below(struct quad *node, int x, int y) {
    int removed;
    if (is_leaf(node)) {
        if (!node->point || node->point->x != x || node->point->y != y)
            return 0;
        free(node->point);
        node->point = NULL;
        return 1;
    }
    removed = remove_below(node->child[quadrant_of(node, x, y)], x, y);
    if (removed)
        quad_join(node);
    return removed;
}

static int quad_remove(struct quad_tree *tree, int x, int y) {
    return remove_below(tree->root, x, y);
}

/* Moves a point a little; the tree changes only where it leaves its leaf. */
static int quad_move(struct quad_tree *tree, int x, int y, int to_x, int to_y) {
    struct quad *leaf = leaf_for(tree->root, x, y);
    if (!quad_contains(tree, x, y) || quad_contains(tree, to_x, to_y))
        return 0;
    if (leaf == leaf_for(tree->root, to_x, to_y)) {
        leaf->point->x = to_x;
        leaf->point->y = to_y;
        return 1;
    }
    quad_remove(tree, x, y);
    return quad_insert(tree, to_x, to_y);
}

struct box {
    int left;
    int bottom;
    int right;
    int top;
};

static int overlaps(const struct quad *node, const struct box *box) {
    return node->x <= box->right && node->x + node->width > box->left && node->y <= box->top &&
           node->y + node->height > box->bottom;
}

static long points_in(const struct quad *node, const struct box *box) {
    long points = 0;
    if (!overlaps(node, box))
        return 0;
    if (is_leaf(node)) {
        const struct point *point = node->point;
        return point && point->x >= box->left && point->x <= box->right &&
               point->y >= box->bottom && point->y <= box->top;
    }
    for (int i = 0; i < 4; i++)
        points += points_in(node->child[i], box);
    return points;
}

/* A point below the node, reached by always taking the fullest way a die shows. */
static const struct point *any_point(const struct quad *node, struct run *run) {
    if (is_leaf(node))
        return node->point;
    for (int tries = 0; tries < 8; tries++) {
        const struct point *point = any_point(node->child[run_below(run, 4)], run);
        if (point)
            return point;
    }
    return NULL;
}

static unsigned quad_digest(const struct quad *node, long *nodes, long *points) {
    unsigned digest = 0;
    ++*nodes;
    if (is_leaf(node)) {
        if (!node->point)
            return 1;
        ++*points;
        return (unsigned)node->point->x * 31 + (unsigned)node->point->y;
    }
    for (int i = 0; i < 4; i++)
        digest = digest * 37 + quad_digest(node->child[i], nodes, points);
    return digest;
}

static long operate(struct quad_tree *tree, struct run *run, int size) {
    int x = (int)run_below(run, size);
    int y = (int)run_below(run, size);
    const struct point *point = any_point(tree->root, run);
    switch (run_below(run, 8)) {
    case 0: {
        struct box box = {x, y, x + size / 8, y + size / 8};
        return points_in(tree->root, &box) < 0;
    }
    case 1:
        if (point)
            quad_move(tree, point->x, point->y, x, y);
        return 0;
    case 2:
        if (point)
            quad_move(tree, point->x, point->y, point->x ^ 1, point->y);
        return 0;
    case 3:
    case 4:
    case 5:
        return point ? -quad_remove(tree, point->x, point->y) : 0;
    default:
        return quad_insert(tree, x, y);
    }
}

/* Tree nodes come in fours, about three of them to a point when the points are scattered. */
static long build(struct quad_tree *tree, struct run *run, int size) {
    long points = 0;
    long nodes = 0;
    while (nodes < run->nodes) {
        for (int i = 0; i < 8; i++)
            points += quad_insert(tree, (int)run_below(run, size), (int)run_below(run, size));
        nodes = points * 5 / 2;
    }
    return points;
}

int main(int argc, char **argv) {
    struct run run = run_from(argc, argv);
    int size = 1 << 14;
    struct quad_tree *tree = quad_tree_new(size);
    long points = build(tree, &run, size);
    long nodes = 0;
    long counted = 0;
    unsigned digest;
    for (long i = 0; i < run.operations; i++)
        points += operate(tree, &run, size);
    digest = quad_digest(tree->root, &nodes, &counted);
    printf("%ld %ld %ld %u\n", points, counted, nodes, digest);
    return 0;
}
