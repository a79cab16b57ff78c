/* A duplicate is handed to a function that makes its own copy; the duplicate is lost. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct user {
    char *name;
    int id;
};

static void user_set_name(struct user *u, const char *name) {
    free(u->name);
    u->name = strdup(name);
}

int main(void) {
    struct user u = {NULL, 7};
    user_set_name(&u, "guest");
#ifdef LEAK
    user_set_name(&u, strdup("alice"));
#else
    user_set_name(&u, "alice");
#endif
    printf("%d %s\n", u.id, u.name ? u.name : "?");
    free(u.name);
    return 0;
}
