/* Comment lines continue the loop before the copy is released. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    static const char *const line[] = {"port=80", "# a comment", "", "host=here"};
    int settings = 0;
    for (size_t i = 0; i < sizeof line / sizeof *line; i++) {
        if (!*line[i])
            continue;
        char *copy = strdup(line[i]);
        if (!copy)
            break;
        if (copy[0] == '#') {
#ifndef LEAK
            free(copy);
#endif
            continue;
        }
        char *equals = strchr(copy, '=');
        if (equals) {
            *equals = '\0';
            settings++;
            printf("%s\n", copy);
        }
        free(copy);
    }
    printf("%d settings\n", settings);
    return 0;
}
