/* The object starts with one reference that is never given back. */
#include <stdio.h>
#include <stdlib.h>

struct image {
    int references;
    int width;
};

static struct image *image_new(int width) {
    struct image *i = malloc(sizeof *i);
    if (i)
        *i = (struct image){1, width};
    return i;
}

static void image_unref(struct image *i) {
    if (i && --i->references == 0)
        free(i);
}

static struct image *album[4];
static int pictures;

static void album_add(struct image *i) {
    if (!i)
        return;
    i->references++;
    album[pictures++] = i;
}

int main(void) {
    for (int w = 1; w < 4; w++) {
        struct image *i = image_new(w * 100);
        album_add(i);
#ifndef LEAK
        image_unref(i);
#endif
    }
    printf("%d\n", pictures);
    while (pictures > 0) {
        image_unref(album[--pictures]);
        album[pictures] = NULL;
    }
    return 0;
}
