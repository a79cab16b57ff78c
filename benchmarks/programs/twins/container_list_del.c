/* Tasks are taken off the intrusive list, and only those that were done are released. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#define container_of(p, type, member) ((type *)((char *)(p)-offsetof(type, member)))
struct link {
    struct link *prev, *next;
};
struct task {
    int id, done;
    struct link link;
};

static void link_add(struct link *head, struct link *l) {
    l->next = head->next;
    l->prev = head;
    head->next->prev = l;
    head->next = l;
}

static void link_del(struct link *l) {
    l->prev->next = l->next;
    l->next->prev = l->prev;
}

int main(void) {
    struct link tasks = {&tasks, &tasks};
    for (int i = 0; i < 4; i++) {
        struct task *t = malloc(sizeof *t);
        if (!t)
            break;
        t->id = i;
        t->done = i < 3;
        link_add(&tasks, &t->link);
    }
    int sum = 0;
    while (tasks.next != &tasks) {
        struct task *t = container_of(tasks.next, struct task, link);
        link_del(&t->link);
        sum += t->id;
#ifdef LEAK
        if (t->done)
#endif
            free(t);
    }
    printf("%d\n", sum);
    return 0;
}
