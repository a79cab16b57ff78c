/* Logging in twice without logging out keeps the global user of the first login. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct user {
    char name[16];
};
static struct user *current;

static void logout(void) {
    free(current);
    current = NULL;
}

static int login(const char *name) {
    struct user *u = malloc(sizeof *u);
    if (!u)
        return -1;
    snprintf(u->name, sizeof u->name, "%s", name);
#ifdef LEAK
    if (current && !strcmp(current->name, name))
        logout();
#else
    logout();
#endif
    current = u;
    return 0;
}

int main(void) {
    login("ann");
    login("ann");
    login("bob");
    printf("%s\n", current ? current->name : "nobody");
    logout();
    return 0;
}
