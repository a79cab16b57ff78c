/* Blocks that forked children lose, and blocks that they do not; one way per argument. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void *volatile kept;
static int losses = 1; /* the next child loses one more */
static pthread_barrier_t ready;

/* Overwrites what returned functions left on the stack. */
static __attribute__((noinline)) void wipe(int depth) {
    volatile char bytes[1000];
    memset((char *)bytes, 0, sizeof bytes);
    if (depth)
        wipe(depth - 1);
}

static __attribute__((noinline)) void lose(void) {
    for (int i = 0; i < losses; i++) {
        void *volatile lost = malloc(33); /* lost in a child */
        lost = NULL;
    }
}

static void child(const char *what) {
    if (!strcmp(what, "lost")) {
        lose();
    } else if (!strcmp(what, "kept")) {
        kept = malloc(44);
    } else if (!strcmp(what, "inherited")) {
        kept = NULL;
    } else if (!strcmp(what, "register")) {
        register char *block __asm__("r13") = malloc(55); /* and nowhere else */
        wipe(20);
        __asm__ volatile("" : "+r"(block));
        _exit(0);
    }
    wipe(20);
    _exit(0);
}

static void *hold(void *unused) {
    char *block = malloc(66);
    pthread_barrier_wait(&ready);
    for (;;)
        __asm__ volatile("" : "+r"(block)); /* in a register, which children do not see */
    return unused;
}

int main(int count, char **words) {
    int times = count > 2 ? atoi(words[2]) : 1;
    if (!strcmp(words[1], "daemon")) {
        kept = malloc(77); /* lost by a daemon */
        pid_t parent = getpid();
        if (fork())
            _exit(3);
        while (getppid() == parent)
            usleep(1000);
        kept = NULL;
        lose();
        wipe(20);
        exit(4);
    }
    if (!strcmp(words[1], "threads")) {
        pthread_t thread;
        pthread_barrier_init(&ready, NULL, 2);
        pthread_create(&thread, NULL, hold, NULL);
        pthread_barrier_wait(&ready);
    } else if (!strcmp(words[1], "inherited")) {
        kept = malloc(88);
    }
    for (int i = 0; i < times; i++) {
        pid_t made = fork();
        if (!made)
            child(words[1]);
        waitpid(made, NULL, 0);
        losses++;
    }
    return 3;
}
