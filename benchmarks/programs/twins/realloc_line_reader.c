/* At the end of the input the empty line is returned as null and lost. */
#include <stdio.h>
#include <stdlib.h>

static char *read_line(const char **input) {
    size_t n = 0, room = 4;
    char *line = malloc(room);
    if (!line)
        return NULL;
    while (**input && **input != '\n') {
        if (n + 1 == room) {
            char *longer = realloc(line, room *= 2);
            if (!longer) {
                free(line);
                return NULL;
            }
            line = longer;
        }
        line[n++] = *(*input)++;
    }
    if (!**input && n == 0) {
#ifndef LEAK
        free(line);
#endif
        return NULL;
    }
    if (**input)
        ++*input;
    line[n] = '\0';
    return line;
}

int main(void) {
    const char *input = "first line\nsecond\nx\n";
    for (char *line; (line = read_line(&input)); free(line))
        puts(line);
    return 0;
}
