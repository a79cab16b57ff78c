/* Finished tasks move to another list, except the last, which its loop has already unlinked. */
#include <stdio.h>
#include <stdlib.h>

struct task {
    int left;
    struct task *next;
};

static void spawn(struct task **list, int left) {
    struct task *t = malloc(sizeof *t);
    if (!t)
        return;
    *t = (struct task){left, *list};
    *list = t;
}

static void run(struct task **active, struct task **done) {
    while (*active) {
        struct task **at = active;
        while (*at) {
            struct task *t = *at;
            if (--t->left > 0) {
                at = &t->next;
                continue;
            }
            *at = t->next;
#ifdef LEAK
            if (!*active)
                break;
#endif
            t->next = *done;
            *done = t;
        }
    }
}

int main(void) {
    struct task *active = NULL, *done = NULL;
    for (int i = 3; i > 0; i--)
        spawn(&active, i);
    run(&active, &done);
    int n = 0;
    for (struct task *next; done; done = next, n++) {
        next = done->next;
        free(done);
    }
    printf("%d\n", n > 1);
    return 0;
}
