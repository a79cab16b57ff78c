/* The table of users is released without the names of the users. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct user {
    int id;
    char *name;
};

int main(void) {
    static const char *const name[] = {"root", "daemon", "www"};
    size_t n = 3;
    struct user *table = calloc(n, sizeof *table);
    if (!table)
        return 0;
    for (size_t i = 0; i < n; i++) {
        table[i].id = (int)i;
        table[i].name = strdup(name[i]);
    }
    for (struct user *u = table; u < table + n; u++)
        printf("%d %s\n", u->id, u->name ? u->name : "?");
#ifndef LEAK
    for (size_t i = 0; i < n; i++)
        free(table[i].name);
#endif
    free(table);
    return 0;
}
