/* What a program sees of its signals, with a scan in between; the same with and without the guard.
 */
#define _GNU_SOURCE
#include "heapstory.h"
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#define SCANS (SIGRTMIN + 13)

static void print_set(const char *name, const sigset_t *set) {
    printf("%s:", name);
    for (int i = 1; i < _NSIG; i++)
        if (sigismember(set, i) == 1)
            printf(" %d", i);
    printf("\n");
}

static void print_mask(const char *name) {
    sigset_t now;
    sigemptyset(&now);
    pthread_sigmask(SIG_BLOCK, NULL, &now);
    print_set(name, &now);
}

static void *in_thread(void *name) {
    print_mask(name);
    return NULL;
}

static void make_thread(const char *name) {
    pthread_t made;
    pthread_create(&made, NULL, in_thread, (void *)name);
    pthread_join(made, NULL);
}

static void nothing(int number) {
    (void)number;
}

static void masks(const char *self) {
    sigset_t all, old, some;
    sigfillset(&all);
    sigemptyset(&some);
    sigemptyset(&old);
    sigaddset(&some, SIGUSR1);
    print_mask("at first");
    printf("%d", sigprocmask(77, &all, NULL));
    printf(" %d %d\n", errno, pthread_sigmask(77, &all, NULL));
    sigprocmask(SIG_BLOCK, &all, &old);
    print_set("before", &old);
    print_mask("all");
    make_thread("thread with all");
    HEAPSTORY_SCAN();
    pthread_sigmask(SIG_UNBLOCK, &some, &old);
    print_set("before", &old);
    print_mask("all but one");
    pthread_sigmask(SIG_SETMASK, &some, NULL);
    print_mask("one");
    make_thread("thread with one");
    struct sigaction action = {.sa_handler = nothing, .sa_mask = all}, was;
    sigaction(SIGUSR2, &action, NULL);
    sigaction(SIGUSR2, NULL, &was);
    print_set("in its handler", &was.sa_mask);
    sigaction(SCANS, NULL, &was);
    printf("nobody has handled it: %d\n", was.sa_handler == SIG_DFL);
    pthread_sigmask(SIG_SETMASK, &all, NULL);
    fflush(stdout);
    execl(self, self, "inherited", NULL);
}

/* Waits for all signals, as a thread of many servers does: scans are none of them. */
static void *one_for_all(void *unused) {
    sigset_t all;
    int number;
    (void)unused;
    sigfillset(&all);
    printf("%d", sigwait(&all, &number));
    printf(" %d\n", number);
    return NULL;
}

static void waiting(void) {
    sigset_t all;
    pthread_t made;
    struct signalfd_siginfo info;
    struct timespec moment = {0, 1000000};
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, NULL);
    pthread_create(&made, NULL, one_for_all, NULL);
    HEAPSTORY_SCAN();
    kill(getpid(), SIGUSR2);
    pthread_join(made, NULL);
    HEAPSTORY_SCAN();
    printf("%d", sigtimedwait(&all, NULL, &moment));
    printf(" %d\n", errno);
    raise(SIGRTMIN + 12);
    int file = signalfd(-1, &all, 0);
    HEAPSTORY_SCAN();
    printf("%zd", read(file, &info, sizeof info));
    printf(" %u\n", info.ssi_signo);
}

/* The signal that scans use is the program's own, and was blocked before anybody could know. */
static volatile int values[4], value_count;
static void keep(int number, siginfo_t *info, void *context) {
    (void)number;
    (void)context;
    values[value_count++] = info->si_value.sival_int;
}

static void send(int value) {
    sigqueue(getpid(), SCANS, (union sigval){.sival_int = value});
}

static void own_handler(void) {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, NULL);
    struct sigaction action = {.sa_sigaction = keep, .sa_flags = SA_SIGINFO}, was;
    sigaction(SCANS, &action, NULL);
    sigaction(SCANS, NULL, &was);
    printf("%d\n", was.sa_sigaction == keep);
    send(11);
    pthread_kill(pthread_self(), SCANS);
    HEAPSTORY_SCAN();
    printf("%d while it is blocked\n", value_count);
    pthread_sigmask(SIG_UNBLOCK, &all, NULL);
    send(12);
    printf("%d: %d\n", value_count, values[value_count - 1]);
}

static void own_wait(void) {
    sigset_t own;
    siginfo_t info;
    sigemptyset(&own);
    sigaddset(&own, SCANS);
    pthread_sigmask(SIG_BLOCK, &own, NULL);
    print_mask("own");
    send(21);
    HEAPSTORY_SCAN();
    int number = sigwaitinfo(&own, &info);
    printf("%d %d\n", number == SCANS, info.si_value.sival_int);
}

int main(int count, char **words) {
    const char *what = count > 1 ? words[1] : "";
    if (!strcmp(what, "masks"))
        masks(words[0]);
    if (!strcmp(what, "inherited"))
        print_mask("inherited");
    if (!strcmp(what, "waiting"))
        waiting();
    if (!strcmp(what, "own-handler"))
        own_handler();
    if (!strcmp(what, "own-wait"))
        own_wait();
    return 0;
}
