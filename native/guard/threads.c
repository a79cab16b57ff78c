/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "threads.h"
#include "kept.h"
#include "kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <string.h>
#include <time.h>
#include <ucontext.h>

#define ROUNDS 8         /* of looking for threads that were made, or woke up, meanwhile */
#define STEP_NS 2000000L /* between two looks at threads that may have ended */

struct standing standing[MOST_THREADS];
uint32_t standing_count;
static bool may_signal;
static bool complete;   /* every thread is among them */
static uint32_t stops;  /* odd while threads are to wait */
static uint32_t parked; /* how many do */

static long futex_wait(uint32_t *word, uint32_t value, long nanoseconds) {
    struct timespec limit = {0, nanoseconds};
    return kernel(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, nanoseconds ? &limit : NULL);
}

static void futex_wake(uint32_t *word) {
    kernel(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT_MAX);
}

static struct standing *find(int id) {
    for (uint32_t i = 0; i < standing_count; i++)
        if (standing[i].id == id)
            return &standing[i];
    return NULL;
}

void threads_park(const long long *registers) {
    uint32_t number = __atomic_load_n(&stops, __ATOMIC_ACQUIRE);
    struct standing *own = number & 1 ? find((int)kernel(SYS_gettid)) : NULL;
    if (!own)
        return; /* the stop is over, or a new one that does not know this thread yet */
    for (unsigned i = 0; i < MOST_WORDS; i++)
        own->words[i] = (uintptr_t)registers[i];
    own->sp = (uintptr_t)registers[REG_RSP];
    __atomic_store_n(&own->state, PARKED, __ATOMIC_RELEASE);
    __atomic_add_fetch(&parked, 1, __ATOMIC_ACQ_REL);
    futex_wake(&parked);
    while (__atomic_load_n(&stops, __ATOMIC_ACQUIRE) == number)
        futex_wait(&stops, number, 0);
}

static uint64_t number_after(const char *text, const char *name, unsigned radix) {
    const char *at = strstr(text, name);
    uint64_t number = 0;
    for (at = at ? at + strlen(name) : ""; *at; at++) {
        unsigned digit = *at >= 'a' ? (unsigned)(*at - 'a') + 10 : (unsigned)(*at - '0');
        if (digit >= radix)
            break;
        number = number * radix + digit;
    }
    return number;
}

static void task_path(char *path, int id, const char *file) {
    char digits[12], *at = digits + sizeof digits;
    *--at = 0;
    do
        *--at = (char)('0' + id % 10);
    while (id /= 10);
    strcpy(path, "self/task/");
    strcat(path, at);
    strcat(path, file);
}

/* What the kernel counts of a thread; false if it has ended. */
struct status {
    uint64_t blocked, switches;
};
static bool status_of(int id, struct status *status) {
    char path[64], text[4096];
    task_path(path, id, "/status");
    if (proc_read(path, text, sizeof text) <= 0)
        return false;
    *status = (struct status){number_after(text, "SigBlk:\t", 16),
                              number_after(text, "\nvoluntary_ctxt_switches:\t", 10) +
                                  number_after(text, "\nnonvoluntary_ctxt_switches:\t", 10)};
    return !strstr(text, "\nState:\tZ") && !strstr(text, "\nState:\tX");
}

/* What the kernel says of a thread that sleeps in a system call: its number, six arguments, the
 * stack pointer and where the call is. False if it runs, or sleeps somewhere else. */
static bool sleeps(struct standing *each) {
    char path[64], text[512];
    task_path(path, each->id, "/syscall");
    if (proc_read(path, text, sizeof text) <= 0 || text[0] < '0' || text[0] > '9')
        return false;
    const char *at = text;
    for (unsigned i = 0; i < 7; i++) {
        at = strstr(at, "0x");
        if (!at)
            return false;
        uintptr_t value = number_after(at, "0x", 16);
        if (i < 6)
            each->words[i] = value;
        else
            each->sp = value;
        at += 2;
    }
    return true;
}

/* Sends the signal to a thread that runs. One that blocks it, by a system call of its own, or
 * cannot have it runs on. */
static void interrupt(struct standing *each, uint64_t blocked) {
    each->sp = 0;
    each->state = !may_signal || (blocked >> (THREADS_SIGNAL - 1) & 1) ? RUNS : SIGNALLED;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (each->state == SIGNALLED &&
        kernel(SYS_tgkill, kernel(SYS_getpid), each->id, THREADS_SIGNAL))
        each->state = ENDED;
}

/* False if it has ended. */
static bool add(int id) {
    struct status status;
    struct standing *each = &standing[standing_count];
    *each = (struct standing){.id = id};
    if (!status_of(id, &status))
        return false;
    each->switches = status.switches;
    each->state = SLEEPS;
    bool asleep = sleeps(each);
    __atomic_store_n(&standing_count, standing_count + 1, __ATOMIC_RELEASE);
    if (!asleep)
        interrupt(each, status.blocked);
    return true;
}

/* Whether a thread has slept all the time. */
static bool slept(const struct standing *each, struct status *status) {
    struct standing again = {.id = each->id};
    return status_of(each->id, status) && status->switches == each->switches && sleeps(&again) &&
           again.sp == each->sp;
}

/* Those that slept and do not any more get the signal after all. Whether there were any. */
static bool interrupt_woken(void) {
    bool any = false;
    for (uint32_t i = 0; i < standing_count; i++) {
        struct status status = {0, 0};
        if (standing[i].state != SLEEPS || slept(&standing[i], &status))
            continue;
        interrupt(&standing[i], status.blocked);
        any = true;
    }
    return any;
}

static void forget_ended(void) {
    struct status status;
    for (uint32_t i = 0; i < standing_count; i++)
        if (standing[i].state == SIGNALLED && !status_of(standing[i].id, &status))
            standing[i].state = ENDED;
}

static bool any_expected(void) {
    for (uint32_t i = 0; i < standing_count; i++)
        if (__atomic_load_n(&standing[i].state, __ATOMIC_ACQUIRE) == SIGNALLED)
            return true;
    return false;
}

struct directory_entry {
    uint64_t inode, offset;
    uint16_t length;
    uint8_t kind;
    char name[];
};

/* Whether there were threads that were not known. */
static bool add_new(void) {
    int own = (int)kernel(SYS_gettid);
    bool any = false;
    _Alignas(8) char entries[2048];
    long folder = proc_open("self/task", O_DIRECTORY);
    if (folder < 0) {
        complete = false;
        return false;
    }
    for (long got; (got = kernel(SYS_getdents64, folder, entries, sizeof entries)) > 0;)
        for (long at = 0; at < got;) {
            const struct directory_entry *entry = (void *)(entries + at);
            at += entry->length;
            int id = (int)number_after(entry->name, "", 10);
            if (!id || id == own || find(id))
                continue;
            if (standing_count == MOST_THREADS) {
                complete = false;
                continue;
            }
            any |= add(id);
        }
    kernel(SYS_close, folder);
    return any;
}

static uint64_t now(void) {
    struct timespec time;
    kernel(SYS_clock_gettime, CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static void await_parked(uint64_t end) {
    uint32_t some = __atomic_load_n(&parked, __ATOMIC_ACQUIRE);
    while (any_expected() && now() < end) {
        if (futex_wait(&parked, some, STEP_NS) == -ETIMEDOUT)
            forget_ended();
        some = __atomic_load_n(&parked, __ATOMIC_ACQUIRE);
    }
}

void threads_stop(bool by_signal, uint64_t patience) {
    may_signal = by_signal;
    standing_count = 0;
    complete = true;
    __atomic_store_n(&parked, 0, __ATOMIC_RELEASE);
    __atomic_add_fetch(&stops, 1, __ATOMIC_ACQ_REL);
    uint64_t end = now() + patience;
    for (unsigned round = 0; add_new() || (round && interrupt_woken()); round++) {
        await_parked(end);
        if (round == ROUNDS) {
            complete = false;
            break;
        }
    }
}

bool threads_stood(void) {
    for (uint32_t i = 0; i < standing_count; i++) {
        const struct standing *each = &standing[i];
        struct status status;
        if (each->state != PARKED && each->state != ENDED &&
            (each->state != SLEEPS || !slept(each, &status)))
            return false;
    }
    return complete;
}

int threads_running(void) {
    for (uint32_t i = 0; i < standing_count; i++)
        if (standing[i].state == RUNS || standing[i].state == SIGNALLED)
            return standing[i].id;
    return 0;
}

void threads_go(void) {
    __atomic_add_fetch(&stops, 1, __ATOMIC_ACQ_REL);
    futex_wake(&stops);
}
