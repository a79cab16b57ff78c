/* Ends as its first argument says. What it did before must be in the trace all the same. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

long *block;

int main(int argc, char **argv) {
    const char *how = argc > 1 ? argv[1] : "";
    block = malloc(3 * sizeof *block);
    block[1] = 4711;
    if (!strcmp(how, "segv"))
        *(volatile long *)8 = 1;
    if (!strcmp(how, "abort"))
        abort();
    if (!strcmp(how, "kill"))
        kill(getpid(), SIGKILL);
    if (!strcmp(how, "_exit"))
        _exit(7);
    if (!strcmp(how, "exec")) {
        execl("/no/such/program", "nothing", (char *)0); /* fails, and changes nothing */
        block[2] = 12;
        execl(argv[0], argv[0], "_exit", (char *)0);
    }
    if (!strcmp(how, "fork")) {
        pid_t child = fork();
        if (child == 0) {
            block[1] = 1;
            free(block);
            _exit(0);
        }
        waitpid(child, NULL, 0);
        block[2] = 34;
    }
    if (!strcmp(how, "wait")) {
        write(1, "ready\n", 6);
        for (long n = 0;; n++)
            block[0] = n;
    }
    return 5;
}
