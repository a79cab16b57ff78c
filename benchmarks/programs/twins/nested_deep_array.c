/* Each page holds lines in an embedded array; the last line of a page is not released. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAGES = 2, LINES = 3 };
struct page {
    struct {
        char *line[LINES];
    } body;
    int number;
};
struct book {
    struct page page[PAGES];
};

int main(void) {
    struct book *b = calloc(1, sizeof *b);
    if (!b)
        return 0;
    for (int p = 0; p < PAGES; p++) {
        b->page[p].number = p + 1;
        for (int l = 0; l < LINES; l++)
            b->page[p].body.line[l] = strdup("text");
    }
    printf("%d\n", b->page[PAGES - 1].number);
    for (int p = 0; p < PAGES; p++)
#ifdef LEAK
        for (int l = 0; l < PAGES; l++)
#else
        for (int l = 0; l < LINES; l++)
#endif
            free(b->page[p].body.line[l]);
    free(b);
    return 0;
}
