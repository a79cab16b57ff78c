/* Of two outputs the caller releases one, for the other it believes to be part of the first. */
#include <stdio.h>
#include <stdlib.h>

struct histogram {
    int bins;
    int *count;
};

static int build(const int *data, int n, struct histogram **out, char **title) {
    struct histogram *h = calloc(1, sizeof *h);
    char *text = malloc(32);
    if (h)
        h->count = calloc(4, sizeof *h->count);
    if (!h || !text || !h->count) {
        if (h)
            free(h->count);
        free(h);
        free(text);
        return -1;
    }
    h->bins = 4;
    for (int i = 0; i < n; i++)
        h->count[data[i] % 4]++;
    snprintf(text, 32, "%d values", n);
    *out = h;
    *title = text;
    return 0;
}

int main(void) {
    int data[] = {1, 2, 3, 5, 9};
    struct histogram *h;
    char *title;
    if (build(data, 5, &h, &title))
        return 0;
    printf("%s: %d\n", title, h->count[1]);
    free(h->count);
    free(h);
#ifndef LEAK
    free(title);
#endif
    return 0;
}
