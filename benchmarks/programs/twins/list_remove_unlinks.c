/* Removing a node from the list unlinks it but does not release it. */
#include <stdio.h>
#include <stdlib.h>

struct job {
    int id;
    struct job *next;
};

static void job_remove(struct job **at, int id) {
    for (; *at; at = &(*at)->next) {
        if ((*at)->id == id) {
            struct job *gone = *at;
            *at = gone->next;
#ifdef LEAK
            gone->next = NULL;
#else
            free(gone);
#endif
            return;
        }
    }
}

int main(void) {
    struct job *jobs = NULL, **tail = &jobs;
    for (int i = 0; i < 4; i++) {
        struct job *j = calloc(1, sizeof *j);
        if (!j)
            break;
        j->id = i;
        *tail = j;
        tail = &j->next;
    }
    job_remove(&jobs, 2);
    job_remove(&jobs, 9);
    for (struct job *j = jobs; j; j = j->next)
        printf("%d\n", j->id);
    while (jobs)
        job_remove(&jobs, jobs->id);
    return 0;
}
