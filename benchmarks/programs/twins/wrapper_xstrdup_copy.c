/* The setter takes a copy with its own wrapper, so the copy made by the caller is lost. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *xmalloc(size_t n) {
    void *p = malloc(n);
    if (!p) {
        fputs("out of memory\n", stderr);
        exit(1);
    }
    return p;
}

static char *xstrdup(const char *s) {
    return strcpy(xmalloc(strlen(s) + 1), s);
}

struct page {
    char *title;
};

static void page_title(struct page *p, const char *title) {
    free(p->title);
    p->title = xstrdup(title);
}

int main(void) {
    struct page p = {NULL};
    char *draft = xstrdup("draft");
    page_title(&p, draft);
    free(draft);
#ifdef LEAK
    page_title(&p, xstrdup(p.title));
#else
    page_title(&p, "final");
#endif
    puts(p.title);
    free(p.title);
    return 0;
}
