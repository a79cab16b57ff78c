/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "signals.h"
#include "allocate.h"
#include "crash.h"
#include "kernel.h"
#include "threads.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sys/signalfd.h>
#include <ucontext.h>

#define MASK_BYTES 8                  /* of a signal set that the kernel knows */
#define LIBCS_OWN ((uint64_t)3 << 31) /* libc's own signals, which it lets nobody block */
#define BIT(number) ((uint64_t)1 << ((number)-1))
#define SCANS BIT(THREADS_SIGNAL)

extern int __sigaction(int, const struct sigaction *, struct sigaction *);

/* What the program believes. */
static __thread bool blocked __attribute__((tls_model("initial-exec")));
static uint64_t in_handlers;      /* signals whose handlers block the one of scans */
static struct sigaction programs; /* its own action for that one */
static bool theirs;
static void (*on_loss)(void);

bool signals_theirs(void) {
    return __atomic_load_n(&theirs, __ATOMIC_ACQUIRE);
}

static uint64_t mask_of(const sigset_t *set) {
    return load64(set);
}

static void change_mask(int how, uint64_t mask) {
    kernel(SYS_rt_sigprocmask, how, &mask, NULL, MASK_BYTES);
}

void signals_start(void (*then)(void)) {
    on_loss = then;
    uint64_t mask = 0;
    kernel(SYS_rt_sigprocmask, SIG_BLOCK, NULL, &mask, MASK_BYTES);
    blocked = mask & SCANS;
    if (!signals_theirs())
        __sigaction(THREADS_SIGNAL, NULL, &programs);
    change_mask(SIG_UNBLOCK, SCANS);
}

void signals_hand_over(void) {
    if (blocked)
        change_mask(SIG_BLOCK, SCANS);
}

void signals_take_back(void) {
    if (blocked && !signals_theirs())
        change_mask(SIG_UNBLOCK, SCANS);
}

/* A set that has the signal of scans without its neighbours is about that very signal; one that has
 * them, too, is about signals in general. */
static bool is_about_scans(uint64_t mask) {
    return (mask & SCANS) && (mask & (SCANS << 1 | SCANS >> 1)) != (SCANS << 1 | SCANS >> 1);
}

static void give_up(void) {
    if (!__atomic_exchange_n(&theirs, true, __ATOMIC_ACQ_REL) && on_loss)
        on_loss();
}

/* What the kernel is told of a set: without the signal, as long as that is ours. */
static uint64_t told(uint64_t mask) {
    if (is_about_scans(mask))
        give_up();
    return signals_theirs() ? mask : mask & ~SCANS;
}

/* The signal has become the program's: from now on it is blocked where the program blocks it. */
bool signals_put_off(siginfo_t *info, void *context) {
    if (!blocked || !signals_theirs())
        return false;
    sigaddset(&((ucontext_t *)context)->uc_sigmask, THREADS_SIGNAL);
    change_mask(SIG_BLOCK, SCANS);
    long process = kernel(SYS_getpid);
    if (info->si_code == SI_TKILL)
        kernel(SYS_rt_tgsigqueueinfo, process, kernel(SYS_gettid), THREADS_SIGNAL, info);
    else
        kernel(SYS_rt_sigqueueinfo, process, THREADS_SIGNAL, info);
    return true;
}

static void on_theirs(int number, siginfo_t *info, void *context) {
    if (!signals_put_off(info, context))
        programs.sa_sigaction(number, info, context);
}

/* What the program believes changes first: a signal that waited arrives within the system call. */
static int change(int how, const sigset_t *set, sigset_t *old) {
    uint64_t mask = 0, was = 0;
    bool before = blocked;
    if (set) {
        uint64_t wanted = mask_of(set) & ~LIBCS_OWN;
        mask = how == SIG_UNBLOCK ? wanted : told(wanted);
        if (how == SIG_SETMASK || wanted & SCANS)
            blocked = how != SIG_UNBLOCK && wanted & SCANS;
    }
    long failed = kernel(SYS_rt_sigprocmask, how, set ? &mask : NULL, &was, MASK_BYTES);
    if (failed) {
        blocked = before;
        return (int)-failed;
    }
    if (old)
        store64(old, was | (before ? SCANS : 0));
    return 0;
}

EXPORT int pthread_sigmask(int how, const sigset_t *set, sigset_t *old) {
    return change(how, set, old);
}

EXPORT int sigprocmask(int how, const sigset_t *set, sigset_t *old) {
    int failed = change(how, set, old);
    if (!failed)
        return 0;
    errno = failed;
    return -1;
}

/* Waiting for signals: that of scans is none to wait for. */
static sigset_t awaited(const sigset_t *set) {
    sigset_t rest = *set;
    store64(&rest, told(mask_of(set)));
    if (signals_theirs())
        signals_hand_over();
    return rest;
}
#define NEXT(function) ((__typeof__(&(function)))dlsym(RTLD_NEXT, #function))

EXPORT int sigwait(const sigset_t *set, int *number) {
    sigset_t rest = awaited(set);
    return NEXT(sigwait)(&rest, number);
}
EXPORT int sigwaitinfo(const sigset_t *set, siginfo_t *info) {
    sigset_t rest = awaited(set);
    return NEXT(sigwaitinfo)(&rest, info);
}
EXPORT int sigtimedwait(const sigset_t *set, siginfo_t *info, const struct timespec *time) {
    sigset_t rest = awaited(set);
    return NEXT(sigtimedwait)(&rest, info, time);
}
EXPORT int signalfd(int file, const sigset_t *set, int flags) {
    sigset_t rest = awaited(set);
    return NEXT(signalfd)(file, &rest, flags);
}

static bool has_handler(const struct sigaction *action) {
    return action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN;
}

/* For the signal of scans itself. */
static void act_on_scans(const struct sigaction *action) {
    programs = *action;
    if (action->sa_handler != SIG_DFL)
        give_up();
    if (!signals_theirs())
        return;
    struct sigaction real = *action;
    if (has_handler(action)) {
        real.sa_sigaction = on_theirs;
        real.sa_flags |= SA_SIGINFO;
    }
    __sigaction(THREADS_SIGNAL, &real, NULL);
}

/* No handler but one of the program's own choice blocks the signal of scans; its mask is shown as
 * it was set. */
static int act(int number, const struct sigaction *action, struct sigaction *old) {
    struct sigaction real;
    uint64_t before = __atomic_load_n(&in_handlers, __ATOMIC_ACQUIRE);
    if (action) {
        real = *action;
        store64(&real.sa_mask, told(mask_of(&action->sa_mask)));
    }
    int result = crash_action(number, action ? &real : NULL, old);
    if (result)
        return result;
    if (old && before & BIT(number))
        sigaddset(&old->sa_mask, THREADS_SIGNAL);
    if (action && sigismember(&action->sa_mask, THREADS_SIGNAL))
        __atomic_or_fetch(&in_handlers, BIT(number), __ATOMIC_ACQ_REL);
    else if (action)
        __atomic_and_fetch(&in_handlers, ~BIT(number), __ATOMIC_ACQ_REL);
    return 0;
}

EXPORT int sigaction(int number, const struct sigaction *action, struct sigaction *old) {
    if (number != THREADS_SIGNAL)
        return act(number, action, old);
    struct sigaction before = programs;
    if (action)
        act_on_scans(action);
    if (old)
        *old = before;
    return 0;
}

EXPORT sighandler_t signal(int number, sighandler_t handler) {
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART}, old;
    sigemptyset(&action.sa_mask);
    sigaddset(&action.sa_mask, number);
    return sigaction(number, &action, &old) ? SIG_ERR : old.sa_handler;
}

/* A new thread has the mask of the one that made it. */
struct beginning {
    void *(*function)(void *);
    void *argument;
};

static void *begin_blocked(void *data) {
    struct beginning beginning = *(struct beginning *)data;
    guard_release(data, MARK_MALLOC, CALLER);
    blocked = true;
    return beginning.function(beginning.argument);
}

EXPORT int pthread_create(pthread_t *made, const pthread_attr_t *how, void *(*function)(void *),
                          void *argument) {
    static __typeof__(&pthread_create) next;
    if (!next)
        next = NEXT(pthread_create);
    struct beginning *beginning = blocked ? guard_malloc(sizeof *beginning) : NULL;
    if (!beginning)
        return next(made, how, function, argument);
    *beginning = (struct beginning){function, argument};
    int failed = next(made, how, begin_blocked, beginning);
    if (failed)
        guard_release(beginning, MARK_MALLOC, CALLER);
    return failed;
}
