/* The first label is lost when the variable is used again for the second. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *label_new(const char *prefix, int id) {
    size_t room = strlen(prefix) + 16;
    char *label = malloc(room);
    if (label)
        snprintf(label, room, "%s-%d", prefix, id);
    return label;
}

int main(void) {
    char *label = label_new("input", 1);
    char *alias = label;
    printf("%s\n", alias ? alias : "?");
#ifndef LEAK
    free(alias);
#endif
    label = label_new("output", 2);
    alias = label;
    printf("%s\n", alias ? alias : "?");
    free(label);
    return 0;
}
