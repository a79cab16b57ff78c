/* Cells that know how many there are from them on. The function that takes off the last one writes
   nothing itself: it calls itself and fixes the counts on the way back, which leaves them wrong in
   between. Once a count is wrong. */
#include <stdlib.h>

struct cell {
    struct cell *next;
    int count;
};

static struct cell *make_cell(struct cell *next) {
    struct cell *cell = malloc(sizeof *cell);
    cell->next = next;
    cell->count = next ? next->count + 1 : 1;
    return cell;
}
static void cut(struct cell *cell) {
    free(cell->next);
    cell->next = NULL;
}
static void count(struct cell *cell, int wrong) {
    cell->count = (cell->next ? cell->next->count + 1 : 1) + wrong; /* faulty */
}

static void shorten(struct cell *cell, int depth, int wrong) {
    if (cell->next->next)
        shorten(cell->next, depth + 1, wrong);
    else
        cut(cell);
    count(cell, wrong && depth == 0);
}

int main(void) {
    struct cell *first = NULL;
    for (int i = 0; i < 8; i++)
        first = make_cell(first);
    for (int i = 0; i < 3; i++)
        shorten(first, 0, FAULT && i == 2);
    return 0;
}
