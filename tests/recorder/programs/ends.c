/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Many ways to end, and things that must not end a recording. The first argument says which. */
#define _GNU_SOURCE
#include "truth.h"
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
static long *block;
static long *volatile kept;
static sigjmp_buf jump;

__attribute__((noinline)) static void two_stores(long *a, long *b) {
    a[0] = 111; /* recorded */
    b[0] = 222; /* faults */
    a[1] = 333;
}

static void mark(long n) { block[n] = n + 1000; }

static void *in_thread(void *p) {
    long *mine = malloc(64);
    mine[0] = (long)p;
    mark(3);
    return mine;
}

static void handler(int signal) { mark(signal); }

static void jump_out(int signal) {
    mark(signal);
    siglongjmp(jump, 1);
}

__attribute__((noinline)) static void deep(int n) {
    block[40] = n;
    if (n == 0)
        longjmp(jump, 1);
    deep(n - 1);
    block[41] = n;
}

__attribute__((noinline)) static long overflow(long n) {
    volatile long local[64];
    local[n & 63] = n;
    block[42] = n;
    return overflow(n + 1) + local[0];
}

static void alternate_stack(void) {
    stack_t stack = {.ss_sp = mmap(0, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
                     .ss_size = 65536};
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
    sigaltstack(&stack, 0);
    sigaction(SIGUSR1, &action, 0);
    raise(SIGUSR1);
}

int main(int count, char **words) {
    const char *what = words[1];
    pid_t child;
    int status;
    block = calloc(100, sizeof *block);
    kept = malloc(24);
    printf("block %p kept %p\n", (void *)block, (void *)kept);
    fflush(stdout);
    mark(1);
    if (!strcmp(what, "exit"))
        exit(7);
    if (!strcmp(what, "_exit"))
        _exit(8);
    if (!strcmp(what, "abort"))
        abort();
    if (!strcmp(what, "segv"))
        two_stores(block + 10, (long *)16);
    if (!strcmp(what, "overflow"))
        overflow(1);
    if (!strcmp(what, "exec-other"))
        execv(words[2], words + 2);
    if (!strcmp(what, "kill"))
        kill(getpid(), SIGKILL);
    if (!strcmp(what, "term"))
        kill(getpid(), SIGTERM);
    if (!strcmp(what, "memcpy")) { /* the second page of the target is not there */
        char *pages = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        munmap(pages + 4096, 4096);
        memcpy(block + 20, pages + 4096 - 32, 64);
    }
    if (!strcmp(what, "caught")) {
        signal(SIGSEGV, jump_out);
        if (!sigsetjmp(jump, 1))
            two_stores(block + 10, (long *)16);
        mark(2);
    }
    if (!strcmp(what, "thread")) {
        pthread_t thread;
        void *result;
        pthread_create(&thread, 0, in_thread, block);
        pthread_join(thread, &result);
        printf("thread %p\n", result);
    }
    if (!strcmp(what, "thread-exit")) {
        pthread_t thread;
        pthread_create(&thread, 0, in_thread, block);
        pthread_exit(0);
    }
    if (!strcmp(what, "fork")) {
        child = fork();
        if (!child) {
            for (long i = 0; i < 300000; i++)
                ((volatile long *)block)[50] = i; /* fills the ring more than once */
            exit(9);
        }
        waitpid(child, &status, 0);
        block[51] = WEXITSTATUS(status);
        mark(2);
    }
    if (!strcmp(what, "fork-exec") || !strcmp(what, "vfork")) {
        child = what[0] == 'v' ? vfork() : fork();
        if (!child) {
            execl("/bin/sh", "sh", "-c", "exit 5", (char *)0);
            _exit(1);
        }
        waitpid(child, &status, 0);
        block[51] = WEXITSTATUS(status);
        mark(2);
    }
    if (!strcmp(what, "spawn")) {
        char *arguments[] = {"sh", "-c", "exit 6", 0};
        posix_spawn(&child, "/bin/sh", 0, 0, arguments, environ);
        waitpid(child, &status, 0);
        block[51] = WEXITSTATUS(status);
        mark(2);
    }
    if (!strcmp(what, "exec"))
        execl(words[0], words[0], "exit", (char *)0);
    if (!strcmp(what, "bad-exec")) {
        execl("/no/such/program", "x", (char *)0);
        block[51] = errno;
        mark(2);
    }
    if (!strcmp(what, "longjmp")) {
        if (!setjmp(jump))
            deep(5);
        mark(2);
    }
    if (!strcmp(what, "signal")) {
        signal(SIGUSR2, handler);
        raise(SIGUSR2);
        mark(2);
    }
    if (!strcmp(what, "altstack")) {
        alternate_stack();
        mark(2);
    }
    if (!strcmp(what, "read")) {
        int pair[2];
        struct iovec;
        pipe(pair);
        write(pair[1], "by the kernel", 13);
        read(pair[0], block + 60, 100);
        mark(2);
    }
    if (!strcmp(what, "stdin")) {
        char line[100] = "";
        fgets(line, sizeof line, stdin);
        printf("line %s\n", line);
    }
    printf("children %d\n", waitpid(-1, &status, WNOHANG));
    return 0;
}
