/* What forked children do wrong, with blocks of before and after the fork. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char *before, *freed;
void *volatile gone;

static int child(const char *program) {
    char *mine = malloc(8); /* made in the child */
    mine[8] = 1;            /* over the child's */
    before[12] = 1;         /* over the parent's */
    mine[0] = freed[3];     /* freed by the parent */
    free(mine);
    gone = malloc(77); /* lost by the child */
    gone = NULL;
    execl(program, program, "end", NULL);
    return 1;
}

int main(int argc, char **argv) {
    int status = 0;
    if (strcmp(argv[argc - 1], "end") == 0) {
        volatile char *last = malloc(4);
        last[4] = 1; /* after exec */
        free((void *)last);
        return 5;
    }
    before = malloc(12); /* made by the parent */
    freed = malloc(20);  /* kept too long */
    free(freed);         /* the parent frees */
    pid_t pid = fork();
    if (pid == 0)
        _exit(child(argv[0]));
    waitpid(pid, &status, 0);
    before[13] = 1; /* the parent's own */
    free(before);
    printf("%d\n", WEXITSTATUS(status));
    return 0;
}
