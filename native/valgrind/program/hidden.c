/* SPDX-License-Identifier: GPL-2.0-or-later */
/* System calls of which it is not known what they read and write: those that mean something else
 * for every code among their arguments, of which Valgrind passes on codes that it does not know
 * (other calls that it does not know it refuses); and any that is named by --hide-syscall, for
 * comparison.
 */
#include "program/program.h"
#include "shared/options.h"

#define MOST_CALLS 512

static const struct {
    const HChar *name;
    UInt number;
} names[] = {
#define CALL(name)                                                                                 \
    { #name, __NR_##name }
    CALL(accept),
    CALL(accept4),
    CALL(capget),
    CALL(clock_getres),
    CALL(clock_gettime),
    CALL(epoll_wait),
    CALL(fcntl),
    CALL(fstat),
    CALL(fstatfs),
    CALL(getcwd),
    CALL(getdents64),
    CALL(getgroups),
    CALL(getitimer),
    CALL(getpeername),
    CALL(getrandom),
    CALL(getresgid),
    CALL(getresuid),
    CALL(getrlimit),
    CALL(getrusage),
    CALL(getsockname),
    CALL(getsockopt),
    CALL(gettimeofday),
    CALL(getxattr),
    CALL(ioctl),
    CALL(lstat),
    CALL(newfstatat),
    CALL(pipe),
    CALL(pipe2),
    CALL(poll),
    CALL(prctl),
    CALL(pread64),
    CALL(preadv),
    CALL(prlimit64),
    CALL(read),
    CALL(readlink),
    CALL(readlinkat),
    CALL(readv),
    CALL(recvfrom),
    CALL(recvmsg),
    CALL(rt_sigaction),
    CALL(rt_sigpending),
    CALL(rt_sigprocmask),
    CALL(sched_getaffinity),
    CALL(sched_getparam),
    CALL(sigaltstack),
    CALL(socketpair),
    CALL(stat),
    CALL(statfs),
    CALL(statx),
    CALL(sysinfo),
    CALL(time),
    CALL(timer_create),
    CALL(timer_gettime),
    CALL(times),
    CALL(uname),
    CALL(wait4),
    CALL(waitid),
#undef CALL
};
#define N_NAMES (sizeof names / sizeof *names)

static Bool hidden[MOST_CALLS]; /* by number */

static void hide(const HChar *name) {
    for (UInt i = 0; i < N_NAMES; i++)
        if (VG_(strcmp)(name, names[i].name) == 0) {
            hidden[names[i].number] = True;
            return;
        }
    VG_(fmsg)("--hide-syscall: it is not known what %s reads and writes anyway\n", name);
    VG_(exit)(125);
}

void hs_hidden_start(void) {
    for (Word i = 0; hs_options.hidden && i < VG_(sizeXA)(hs_options.hidden); i++)
        hide(*(const HChar **)VG_(indexXA)(hs_options.hidden, i));
}

Bool hs_is_hidden(UInt number) {
    return number < MOST_CALLS && hidden[number];
}

Bool hs_is_unknown(UInt number) {
    switch (number) {
    case __NR_bpf:
    case __NR_fcntl:
    case __NR_ioctl:
    case __NR_keyctl:
    case __NR_prctl:
    case __NR_quotactl:
        return True;
    default:
        return hs_is_hidden(number);
    }
}
