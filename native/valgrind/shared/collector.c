/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Starting the collector: by a double fork, so that it is not the program's child and the program's
 * wait() never sees it. It gets two descriptors, stderr, and /dev/null as stdin.
 */
#include "shared/collector.h"

#include "shared/options.h"
#include "shared/syscalls.h"

/* Parts of the core without a public header. */
extern Int VG_(safe_fd)(Int);
extern HChar **VG_(env_clone)(HChar **);
extern void VG_(env_remove_valgrind_env_stuff)(HChar **, Bool, void (*)(void *));
extern void VG_(env_unsetenv)(HChar **, const HChar *, void (*)(void *));
extern struct vki_rlimit VG_(client_rlimit_data);
extern struct vki_rlimit VG_(client_rlimit_stack);

#define COLLECTOR_RING_FD 3
#define COLLECTOR_SOCKET_FD 4

static HChar **collector_arguments(void) {
    XArray *extra = hs_options.collector_arguments;
    Word n = extra ? VG_(sizeXA)(extra) : 0;
    HChar **argv = VG_(calloc)("hs.argv", n + 6, sizeof *argv);
    HChar *trace = VG_(malloc)("hs.trace", VG_(strlen)(hs_options.trace) + 16);
    HChar *fds = VG_(malloc)("hs.fds", 64);
    VG_(sprintf)(trace, "--trace=%s", hs_options.trace);
    VG_(sprintf)(fds, "--ring-fd=%d", COLLECTOR_RING_FD);
    VG_(sprintf)(fds + 32, "--socket-fd=%d", COLLECTOR_SOCKET_FD);
    argv[0] = (HChar *)hs_options.collector;
    argv[1] = fds;
    argv[2] = fds + 32;
    argv[3] = trace;
    for (Word i = 0; i < n; i++)
        argv[4 + i] = *(HChar **)VG_(indexXA)(extra, i);
    return argv;
}

/* In the grandchild: nothing but the two descriptors and stderr is left, signals are as in a fresh
 * process, the limits are the program's (Valgrind sets its own data limit to 0). */
static void become_collector(Int ring, Int socket, HChar **argv, HChar **envp) {
    UWord no_signals[2] = {0, 0};
    /* Out of the way first: either may already sit on a number that is wanted. */
    ring = hs_syscall(__NR_fcntl, ring, VKI_F_DUPFD, 10, 0, 0, 0);
    socket = hs_syscall(__NR_fcntl, socket, VKI_F_DUPFD, 10, 0, 0, 0);
    hs_syscall(__NR_dup2, ring, COLLECTOR_RING_FD, 0, 0, 0, 0);
    hs_syscall(__NR_dup2, socket, COLLECTOR_SOCKET_FD, 0, 0, 0, 0);
    if (hs_syscall(436 /* close_range */, 5, ~0u, 0, 0, 0, 0) < 0)
        for (Int fd = 5; fd < 65536; fd++)
            hs_syscall(__NR_close, fd, 0, 0, 0, 0, 0);
    hs_syscall(__NR_close, 0, 0, 0, 0, 0, 0);
    hs_syscall(__NR_open, (UWord) "/dev/null", VKI_O_RDWR, 0, 0, 0, 0);
    if (hs_syscall(__NR_dup2, 2, 1, 0, 0, 0, 0) < 0) {
        hs_syscall(__NR_dup2, 0, 1, 0, 0, 0, 0);
        hs_syscall(__NR_dup2, 0, 2, 0, 0, 0, 0);
    }
    hs_syscall(__NR_setrlimit, VKI_RLIMIT_DATA, (UWord)&VG_(client_rlimit_data), 0, 0, 0, 0);
    hs_syscall(__NR_setrlimit, VKI_RLIMIT_STACK, (UWord)&VG_(client_rlimit_stack), 0, 0, 0, 0);
    for (Int signal = 1; signal <= 64; signal++) {
        UWord action[4] = {0, 0, 0, 0};
        hs_syscall(__NR_rt_sigaction, signal, (UWord)action, 0, 8, 0, 0);
    }
    hs_syscall(__NR_rt_sigprocmask, 2 /* SIG_SETMASK */, (UWord)no_signals, 0, 8, 0, 0);
    hs_syscall(__NR_setsid, 0, 0, 0, 0, 0, 0);
    hs_syscall(__NR_execve, (UWord)argv[0], (UWord)argv, (UWord)envp, 0, 0, 0);
    hs_syscall(__NR_exit_group, 127, 0, 0, 0, 0, 0);
}

static Bool spawn_collector(Int ring, Int theirs) {
    HChar **argv = collector_arguments();
    HChar **envp = VG_(env_clone)(VG_(client_envp));
    Int status = 0;
    Word child;
    VG_(env_remove_valgrind_env_stuff)(envp, True, NULL);
    VG_(env_unsetenv)(envp, "LD_PRELOAD", NULL);
    child = hs_syscall(__NR_clone, 0 /* no SIGCHLD for the program */, 0, 0, 0, 0, 0);
    if (child == 0) {
        Word grandchild = hs_syscall(__NR_fork, 0, 0, 0, 0, 0, 0);
        if (grandchild == 0)
            become_collector(ring, theirs, argv, envp);
        hs_syscall(__NR_exit_group, grandchild < 0, 0, 0, 0, 0, 0);
    }
    while (child > 0 && hs_syscall(__NR_wait4, child, (UWord)&status, 0x40000000 /* __WALL */, 0, 0,
                                   0) == -VKI_EINTR)
        ;
    hs_syscall(__NR_close, theirs, 0, 0, 0, 0, 0);
    VG_(free)(argv[1]);
    VG_(free)(argv[3]);
    VG_(free)(argv);
    VG_(free)(envp);
    return child > 0 && status == 0;
}

Int hs_start_collector(Int ring) {
    Int pair[2];
    if (hs_syscall(__NR_socketpair, 1 /* AF_UNIX */, 1 | 02000000 /* SOCK_STREAM, SOCK_CLOEXEC */,
                   0, (UWord)pair, 0, 0) < 0)
        return -1;
    return spawn_collector(ring, pair[1]) ? VG_(safe_fd)(pair[0]) : -1;
}
