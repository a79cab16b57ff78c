/* A deep copy overwrites the copied pointer of the inner member and then its own new one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct style {
    char *font;
    int size;
};
struct paragraph {
    struct style style;
    char *text;
};

static int copy(struct paragraph *to, const struct paragraph *from) {
    *to = *from;
    to->style.font = strdup(from->style.font);
    to->text = strdup(from->text);
    if (!to->style.font || !to->text) {
        free(to->style.font);
        free(to->text);
        return -1;
    }
#ifdef LEAK
    to->style = from->style;
    to->style.font = strdup(from->style.font);
#else
    to->style.size = from->style.size;
#endif
    return 0;
}

int main(void) {
    char font[] = "Serif", text[] = "Once upon a time";
    struct paragraph original = {{font, 11}, text}, clone;
    if (copy(&clone, &original))
        return 0;
    printf("%s %d %s\n", clone.style.font, clone.style.size, clone.text);
    free(clone.style.font);
    free(clone.text);
    return 0;
}
