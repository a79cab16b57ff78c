/* The setter takes the new reference but keeps the old one too, unless both are the same. */
#include <stdio.h>
#include <stdlib.h>

struct theme {
    int references, id;
};
struct window {
    struct theme *theme;
};

static struct theme *theme_new(int id) {
    struct theme *t = malloc(sizeof *t);
    if (!t)
        abort();
    *t = (struct theme){1, id};
    return t;
}

static void theme_drop(struct theme *t) {
    if (t && --t->references == 0)
        free(t);
}

static void use(struct window *w, struct theme *t) {
    t->references++;
#ifdef LEAK
    if (w->theme == t)
#endif
        theme_drop(w->theme);
    w->theme = t;
}

int main(void) {
    struct theme *light = theme_new(1), *dark = theme_new(2);
    struct window w = {NULL};
    use(&w, light);
    use(&w, light);
    use(&w, dark);
    printf("%d\n", w.theme->id);
    theme_drop(w.theme);
    theme_drop(light);
    theme_drop(dark);
    return 0;
}
