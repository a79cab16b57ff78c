/* Loses blocks of 100 bytes and says so, then, by its argument, waits for input in a system call
 * (alone, or with a second thread that waits as well), or runs. Afterwards it loses one more. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

void *volatile kept;
static volatile sig_atomic_t stopped;

__attribute__((noinline)) static void clear(void) {
    volatile char below[4096];
    memset((void *)below, 0, sizeof below);
}

__attribute__((noinline)) static void lose(int n) {
    while (n--)
        kept = malloc(100);
    kept = NULL;
}

static void *wait_forever(void *unused) {
    for (;;)
        pause();
}

static void stop(int number) {
    stopped = 1;
}

int main(int argc, char **argv) {
    pthread_t thread;
    char line[8];
    signal(SIGUSR1, stop);
    lose(3);
    clear();
    if (!strcmp(argv[1], "threads"))
        pthread_create(&thread, NULL, wait_forever, NULL);
    printf("%d\n", getpid());
    fflush(stdout);
    if (!strcmp(argv[1], "runs"))
        while (!stopped)
            ;
    else if (read(0, line, sizeof line) != 2) /* also if a scan would interrupt it */
        return 9;
    lose(1);
    clear();
    return 0;
}
