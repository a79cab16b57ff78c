/* The number of fields counts the separators, so the last field is not released. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int split(const char *line, char **field, int room) {
    int separators = 0, n = 0;
    while (n < room) {
        size_t length = strcspn(line, ":");
        field[n] = strndup(line, length);
        if (!field[n])
            break;
        n++;
        if (!line[length])
            break;
        separators++;
        line += length + 1;
    }
#ifdef LEAK
    return separators;
#else
    return separators < n ? n : separators;
#endif
}

int main(void) {
    char *field[8];
    int n = split("root:x:0:/root", field, 8);
    for (int i = 0; i < n; i++) {
        puts(field[i]);
        free(field[i]);
    }
    return 0;
}
