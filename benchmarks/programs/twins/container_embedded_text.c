/* The object around the link is released, the text in the object is not. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct link {
    struct link *next;
};
struct line {
    char *text;
    struct link link;
};

static struct line *line_of(struct link *l) {
    return (struct line *)((char *)l - offsetof(struct line, link));
}

static void line_free(struct link *l) {
    struct line *line = line_of(l);
#ifndef LEAK
    free(line->text);
#endif
    free(line);
}

int main(void) {
    struct link *lines = NULL;
    static const char *const input[] = {"first", "second"};
    for (int i = 0; i < 2; i++) {
        struct line *line = malloc(sizeof *line);
        if (!line)
            break;
        line->text = strdup(input[i]);
        line->link.next = lines;
        lines = &line->link;
    }
    while (lines) {
        struct link *next = lines->next;
        puts(line_of(lines)->text ? line_of(lines)->text : "");
        line_free(lines);
        lines = next;
    }
    return 0;
}
