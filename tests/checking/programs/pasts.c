/* A pointer that is kept too long, one that runs over, and one that is lost. */
#include <stdlib.h>
#include <string.h>

struct session {
    struct session *next;
    char *user;
    int id;
};

struct session *sessions;
char *cached;
volatile char seen;

__attribute__((noinline)) static void enter(void) {
    struct session *made = calloc(1, sizeof *made); /* session made */
    char *name = malloc(16);                        /* name made */
    strcpy(name, "alice");
    made->user = name; /* field stored */
    cached = name + 2; /* variable stored */
    sessions = made;
}

/* What earlier calls left on the stack is gone. */
__attribute__((noinline)) static void clear(void) {
    volatile char below[4096];
    memset((void *)below, 0, sizeof below);
}

__attribute__((noinline)) static void leave(struct session *from) {
    free(from->user); /* name freed */
}

__attribute__((noinline)) static char use(const struct session *from) {
    return from->user[3]; /* name used */
}

__attribute__((noinline)) static void lose(void) {
    sessions = NULL; /* session lost */
}

int main(int argc, char **argv) {
    enter();
    clear();
    if (strcmp(argv[argc - 1], "twice") == 0)
        leave(sessions);
    leave(sessions);
    seen = use(sessions);
    clear();
    lose();
    clear();
    return 0;
}
