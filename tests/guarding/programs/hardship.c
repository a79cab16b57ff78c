/* What makes it hard to guard a process, and to report of it; one per argument. */
#define _GNU_SOURCE
#include "heapstory.h"
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static char **words;
static int array[8];
static void *volatile kept;

static void wrong(void) {
    free(array); /* wrong */
}

/* The list of free pieces is overwritten, so that libc gives out a block that is in use. */
static char *volatile blocks[200], *volatile live;
static void corrupt(void) {
    live = malloc(40); /* in use */
    for (int i = 0; i < 100; i++)
        blocks[i] = malloc(40);
    for (int i = 0; i < 100; i++)
        free(blocks[i]);
    /* The pieces that left the quarantine first are the ones that libc keeps at hand; the last of
     * those is given out first, and names the next, with its own address mixed in. */
    uintptr_t *piece = (uintptr_t *)(blocks[6] - 16);
    *piece = ((uintptr_t)piece >> 12) ^ (uintptr_t)(live - 16);
    /* Half of the 32 that wait, that one, and the block in use. */
    for (int i = 100; i < 100 + 16 + 2; i++)
        blocks[i] = malloc(40); /* given out */
    _exit(3);                   /* libc's heap is not fit for use any more */
}

/* No memory: malloc fails sooner or later, and all is well afterwards. */
static void no_memory(void) {
    struct rlimit limit = {400 << 20, 400 << 20};
    setrlimit(RLIMIT_AS, &limit);
    static void *all[1 << 20];
    size_t count = 0;
    while (count < 1 << 20 && (all[count] = malloc(1000)))
        count++;
    if (count == 1 << 20)
        abort();
    while (count)
        free(all[--count]);
    wrong();
}

static void filter(unsigned call, unsigned answer) {
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, answer),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {4, code};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0))
        abort();
}

/* Opening a file is deadly from now on. */
static void sandbox(void) {
    filter(__NR_openat, SECCOMP_RET_KILL_PROCESS);
    wrong();
}

/* Nothing can be copied or started: by a call that no wrapper of libc's is between. */
static void no_processes(void) {
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_clone, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 11),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {4, code};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
        syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program))
        abort();
    if (HEAPSTORY_SCAN() != 0)
        abort();
}

static void cleared(const char *how) {
    char *argv[] = {words[0], "wrong", NULL}, *none[] = {NULL};
    pid_t child;
    int status;
    if (!strcmp(how, "execve"))
        execve(words[0], argv, none);
    if (!strcmp(how, "execle"))
        execle(words[0], words[0], "wrong", NULL, none);
    if (!strcmp(how, "clearenv") && !clearenv())
        execlp(words[0], words[0], "wrong", NULL);
    if (!strcmp(how, "spawn") && !posix_spawn(&child, words[0], NULL, NULL, argv, none))
        waitpid(child, &status, 0);
    if (!strcmp(how, "vfork")) {
        if (!(child = vfork())) {
            execve(words[0], argv, none);
            _exit(1);
        }
        waitpid(child, &status, 0);
    }
}

/* The report cannot be opened any more, by root at least; others cannot do this. */
static void other_root(void) {
    char empty[] = "/tmp/heapstory-empty-XXXXXX";
    if (!mkdtemp(empty) || (!chroot(empty) && chdir("/")))
        abort();
    wrong();
    pid_t child = fork();
    if (!child) {
        wrong();
        _exit(0);
    }
    waitpid(child, NULL, 0);
}

enum { NOBODY = 65534 };
static void other_user(void) {
    if (!setuid(NOBODY) && getuid() != NOBODY)
        abort();
    wrong();
}

/* Nobody can tell what it has found, but that it is missing. */
static void child_of_other_user(void) {
    other_user();
    pid_t child = fork();
    if (!child) {
        wrong();
        _exit(0);
    }
    waitpid(child, NULL, 0);
}

static void bomb(void) {
    for (int i = 0; i < 300; i++) {
        pid_t child = fork();
        if (!child) {
            free(malloc(100));
            if (i % 100 == 0)
                wrong();
            _exit(0);
        }
        if (i % 50 == 49)
            while (waitpid(-1, NULL, 0) > 0)
                ;
    }
}

/* A handler that allocates while its thread does, though not within libc: small blocks that were
 * freed before need no libc. */
static void *volatile sink, *volatile its_sink;
static void on_alarm(int number) {
    (void)number;
    for (int i = 0; i < 4; i++)
        its_sink = malloc(48), free(its_sink);
}
static void handler(void) {
    for (int i = 0; i < 64; i++)
        blocks[i] = malloc(48);
    for (int i = 0; i < 24; i++)
        free(blocks[i]);
    struct itimerval often = {{0, 200}, {0, 200}};
    signal(SIGALRM, on_alarm);
    setitimer(ITIMER_REAL, &often, NULL);
    for (int i = 0; i < 3000000; i++)
        sink = malloc(48), free(sink);
}

int main(int count, char **arguments) {
    words = arguments;
    if (count == 2 && !strncmp(words[1], "other", 5))
        kept = malloc(10);
    static const struct {
        const char *name;
        void (*function)(void);
    } all[] = {{"wrong", wrong},
               {"corrupt", corrupt},
               {"no-memory", no_memory},
               {"sandbox", sandbox},
               {"no-processes", no_processes},
               {"bomb", bomb},
               {"handler", handler},
               {"other-root", other_root},
               {"other-user", other_user},
               {"child-of-other-user", child_of_other_user}};
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
        if (count == 2 && !strcmp(words[1], all[i].name))
            all[i].function();
    if (count == 3)
        cleared(words[2]);
    return 3;
}
