/* What a process can do that a guard must live through; one per argument. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char **words;
static void *volatile sink; /* or the compiler leaves the call out */

__attribute__((constructor)) static void before_main(void) {
    sink = malloc(100), free(sink);
}
__attribute__((destructor)) static void after_main(void) {
    sink = malloc(100), free(sink);
}

static void *work(void *seed) {
    enum { SLOTS = 64 };
    unsigned state = (unsigned)(uintptr_t)seed;
    void *slots[SLOTS] = {0};
    for (int i = 0; i < 20000; i++) {
        state = state * 1664525u + 1013904223u;
        void **slot = &slots[(state >> 8) % SLOTS];
        if (state & 1)
            *slot = realloc(*slot, 1 + (state >> 16) % 3000);
        else
            free(*slot), *slot = NULL;
    }
    for (int i = 0; i < SLOTS; i++)
        free(slots[i]);
    return NULL;
}

static void threads(void) {
    pthread_t made[8];
    for (int i = 0; i < 8; i++)
        pthread_create(&made[i], NULL, work, (void *)(uintptr_t)(i + 1));
    for (int i = 0; i < 8; i++)
        pthread_join(made[i], NULL);
}

/* Two threads free the same blocks: of each pair of calls one is wrong. */
static void *shared[1000];
static void *free_all(void *unused) {
    (void)unused;
    for (int i = 0; i < 1000; i++)
        free(shared[i]);
    return NULL;
}
static void race(void) {
    for (int i = 0; i < 1000; i++)
        shared[i] = malloc(40);
    pthread_t made[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&made[i], NULL, free_all, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(made[i], NULL);
}

static void forks(void) {
    for (int i = 0; i < 20; i++) {
        pid_t child = fork();
        if (!child) {
            void *volatile block = malloc(30);
            free(block);
            free(block); /* in a child */
            _exit(0);
        }
        waitpid(child, NULL, 0);
    }
}

static void vforks(void) {
    pid_t child = vfork();
    if (!child)
        _exit(5);
    int status;
    waitpid(child, &status, 0);
    if (WEXITSTATUS(status) != 5)
        abort();
}

static void become(void) {
    char *argv[] = {words[0], "became", NULL};
    execv(words[0], argv);
}

static void became(void) {
    static int array[8];
    free(array); /* after exec */
}

static void on_alarm(int number) {
    (void)number;
    for (int i = 0; i < 3; i++)
        sink = malloc(50), free(sink);
}

/* A handler that allocates, while the program is outside the C library's own malloc. */
static void signals(void) {
    signal(SIGUSR1, on_alarm);
    for (int i = 0; i < 1000; i++) {
        sink = malloc(60), free(sink);
        raise(SIGUSR1);
    }
}

static volatile sig_atomic_t handled;
static void on_fault(int number, siginfo_t *info, void *context) {
    (void)number, (void)info, (void)context;
    handled = 1;
    _exit(9);
}

/* The program's own handler is called, and it never sees ours. */
static void own_handler(void) {
    struct sigaction old, mine = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
    if (sigaction(SIGSEGV, &mine, &old) || old.sa_handler != SIG_DFL)
        abort();
    *(volatile int *)8 = 1;
}

static void no_memory(void) {
    if (malloc(SIZE_MAX / 2) || errno != ENOMEM || calloc(SIZE_MAX / 2, 3))
        abort();
    volatile size_t most = (size_t)1 << 46;
    if (malloc(most + 1))
        abort();
}

static void alignment(void) {
    for (size_t align = 8; align <= 1 << 16; align *= 2)
        for (size_t size = 0; size < 200; size += 7) {
            void *block;
            if (posix_memalign(&block, align, size) || (uintptr_t)block % align)
                abort();
            memset(block, 1, size);
            block = realloc(block, size + 50);
            free(block);
        }
    for (size_t size = 0; size < 300; size++) {
        char *zero = calloc(1, size), *block = malloc(size);
        if ((uintptr_t)block % 16)
            abort();
        for (size_t i = 0; i < size; i++)
            if (zero[i])
                abort();
        free(zero), free(block);
    }
}

static void closed_files(void) {
    for (int file = 0; file < 100; file++)
        if (file != 1)
            close(file);
    became();
}

int main(int count, char **arguments) {
    words = arguments;
    static const struct {
        const char *name;
        void (*function)(void);
    } all[] = {{"threads", threads},     {"race", race},           {"forks", forks},
               {"vfork", vforks},        {"exec", become},         {"became", became},
               {"signals", signals},     {"handler", own_handler}, {"no-memory", no_memory},
               {"alignment", alignment}, {"closed", closed_files}};
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
        if (count > 1 && !strcmp(words[1], all[i].name))
            all[i].function();
    return 3;
}
