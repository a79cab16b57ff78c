/* What scans find while a program runs; one per argument. The exit status says what was seen. */
#define _GNU_SOURCE
#include "heapstory.h"
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static uintptr_t hidden;
static void *volatile seen;

/* Overwrites what returned functions left on the stack. */
static __attribute__((noinline)) void wipe(int depth) {
    volatile char bytes[1000];
    memset((char *)bytes, 0, sizeof bytes);
    if (depth)
        wipe(depth - 1);
}

static __attribute__((noinline)) void hide(void) {
    hidden = ~(uintptr_t)malloc(100); /* hidden */
}

static void expect(unsigned long lost) {
    wipe(20);
    unsigned long found = HEAPSTORY_SCAN();
    if (found != lost) {
        printf("%lu blocks are lost instead of %lu\n", found, lost);
        fflush(stdout);
        _exit(1);
    }
}

/* Called lost, then found: our error. */
static void found_again(void) {
    expect(0);
    hide();
    expect(1);
    expect(1);
    seen = (void *)~hidden;
    expect(0);
}

static void freed_later(void) {
    hide();
    expect(1);
    free((void *)~hidden);
    expect(0);
}

static void declared(void) {
    hide();
    HEAPSTORY_MINE((void *)~hidden);
    expect(0);
}

/* Threads that hold the only reference to a block, each in another way. */
static volatile int over;
static pthread_barrier_t ready;
static int interrupted;

static void *in_a_register(void *unused) {
    (void)unused;
    register void *block __asm__("rbx") = malloc(41);
    wipe(5);
    pthread_barrier_wait(&ready);
    while (!over)
        __asm__ volatile("pause" : "+r"(block));
    free(block);
    return NULL;
}

static void *asleep(void *unused) {
    (void)unused;
    void *volatile block = malloc(42);
    struct timespec long_time = {1, 500000000};
    pthread_barrier_wait(&ready);
    if (nanosleep(&long_time, NULL))
        interrupted = 1;
    free(block);
    return NULL;
}

static int ends[2];
static void *in_the_kernel(void *unused) {
    (void)unused;
    void *volatile block = malloc(43);
    char byte;
    pthread_barrier_wait(&ready);
    if (read(ends[0], &byte, 1) != 1)
        interrupted = 1;
    free(block);
    return NULL;
}

/* The only reference is in a register of a thread that runs and blocks all signals. */
static void *deaf(void *unused) {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, NULL);
    return in_a_register(unused);
}

/* The same, by a system call that no function of libc is between. */
static void *stone_deaf(void *unused) {
    uint64_t all = ~(uint64_t)0;
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, NULL, sizeof all);
    return in_a_register(unused);
}

static void threads(void) {
    static void *(*const functions[])(void *) = {in_a_register, asleep, in_the_kernel, deaf};
    pthread_t made[4];
    if (pipe(ends))
        abort();
    pthread_barrier_init(&ready, NULL, 5);
    for (int i = 0; i < 4; i++)
        pthread_create(&made[i], NULL, functions[i], NULL);
    pthread_barrier_wait(&ready);
    struct timespec moment = {0, 100000000};
    nanosleep(&moment, NULL);
    for (int i = 0; i < 3; i++)
        expect(0);
    over = 1;
    if (write(ends[1], "x", 1) != 1)
        abort();
    for (int i = 0; i < 4; i++)
        pthread_join(made[i], NULL);
    if (interrupted)
        exit(2);
}

/* A block is lost while a thread runs that blocks signals. */
static void beside(void *(*function)(void *), unsigned long lost) {
    pthread_t made;
    pthread_barrier_init(&ready, NULL, 2);
    pthread_create(&made, NULL, function, NULL);
    pthread_barrier_wait(&ready);
    hide();
    for (int i = 0; i < 3; i++)
        expect(lost);
    over = 1;
    pthread_join(made, NULL);
}
static void beside_deaf(void) {
    beside(deaf, 1);
}
/* What it holds cannot be known, so nothing is called lost until it has ended. */
static void beside_stone_deaf(void) {
    beside(stone_deaf, 0);
}
/* The main thread has ended, others go on. */
static void *goes_on(void *first) {
    pthread_join(*(pthread_t *)first, NULL);
    hide();
    expect(1);
    exit(3);
}
static void without_main(void) {
    static pthread_t first;
    pthread_t made;
    first = pthread_self();
    pthread_create(&made, NULL, goes_on, &first);
    pthread_exit(NULL);
}

/* The memory of a freed block is given to another statement while `seen` refers to it. */
static __attribute__((noinline)) void *other(void) {
    return malloc(60); /* given out again */
}

static void alias(void) {
    static void *volatile kept[1000];
    seen = malloc(60); /* made first */
    free(seen);        /* freed too early */
    expect(0);
    for (int i = 0; i < 100; i++)
        kept[i] = other();
    for (int i = 0; i < 100; i++) /* more than are held back */
        free(kept[i]);
    for (int i = 0; i < 1000; i++)
        kept[i] = other();
    expect(0);
}

/* The same variable refers to the new block because it was stored there: no mistake. */
static void stored_again(void) {
    seen = malloc(60);
    free(seen);
    expect(0);
    for (int i = 0; i < 1000; i++) {
        seen = other();
        free(seen);
    }
    expect(0);
}

/* Fences are looked at, too; one that breaks is reported once, where it is freed if it ever is. */
static void fences(void) {
    static char *volatile kept, *volatile freed;
    kept = malloc(20);  /* kept and overrun */
    freed = malloc(30); /* freed later */
    kept[20] = freed[30] = 'x';
    expect(0);
    free(freed); /* noticed again */
    expect(0);
    _exit(3);
}

static void waiting(void) {
    hide();
    wipe(20);
    puts("ready");
    fflush(stdout);
    char byte;
    while (read(0, &byte, 1) < 0 && errno == EINTR)
        ;
}

int main(int count, char **words) {
    static const struct {
        const char *name;
        void (*function)(void);
    } all[] = {{"found", found_again},
               {"freed", freed_later},
               {"declared", declared},
               {"threads", threads},
               {"deaf", beside_deaf},
               {"stone-deaf", beside_stone_deaf},
               {"without-main", without_main},
               {"alias", alias},
               {"stored", stored_again},
               {"fences", fences},
               {"waiting", waiting}};
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
        if (count > 1 && !strcmp(words[1], all[i].name))
            all[i].function();
    return 3;
}
