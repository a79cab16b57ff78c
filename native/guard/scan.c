/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "scan.h"
#include "alias.h"
#include "findings.h"
#include "kept.h"
#include "kernel.h"
#include "live.h"
#include "lost.h"
#include "modules.h"
#include "reach.h"
#include "signals.h"
#include "threads.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>

#define LOWEST_PRIORITY 19
#define ATTEMPTS 3                    /* at a copy that was made while all threads stood still */
#define PATIENCE ((uint64_t)50000000) /* nanoseconds until they do */
#define PATIENCE_WAITED_FOR (100 * PATIENCE)

/* Whether all threads stood still while the process was copied. */
enum { NOT_KNOWN, ALL_STOOD, NOT_ALL, COPIED_AGAIN };

extern int __sigaction(int, const struct sigaction *, struct sigaction *);

/* What the process and the copies that are scanned have in common. */
struct common {
    uint32_t stood;
    uint32_t pause;   /* microseconds for which they did */
    uint64_t seconds; /* nanoseconds of processor that the last scan took */
    uint16_t scan;    /* number of the last scan */
    uint8_t turn;     /* which of the two below are the last scan's */
    struct tally tally;
    uint64_t withdrawn; /* by all of them */
    struct losses losses[2];
    struct danglings danglings[2];
};

static struct common *common;
static int scanning;   /* a thread is at it */
static long copy;      /* the process that is being scanned, 0: none */
static uint64_t begun; /* when the last scan began, monotonic nanoseconds */
static int timer = -1;
static struct lines lines;

/* A forked child: by whom (0: no child, or one that never inherits) and since when it is one. */
static int forked_by;
static bool is_forked;
static uint16_t own_since;
static bool judges_all = true;

static uint64_t clock_now(long which) {
    struct timespec time = {0, 0};
    kernel(SYS_clock_gettime, which, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static void say(const char *text) {
    put_text(&lines, "N ");
    put_text(&lines, text);
    put_end(&lines);
    output_flush(&lines);
}

static void say_no_memory(void) {
    say("leaks were not looked for: there is no memory (a limit of address space?)");
}

/* In the process itself: a copy has another parent. */
static void decide(void) {
    judges_all = !is_forked || (forked_by && (int)kernel(SYS_getppid) != forked_by);
}

static bool prepare(void) {
    decide();
    if (!common) {
        long made = kernel(SYS_mmap, 0, sizeof *common, PROT_READ | PROT_WRITE,
                           MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        common = made < 0 && made > -4096 ? NULL : (struct common *)made;
        if (!common)
            say_no_memory();
    }
    return common;
}

static void write_scan(uint16_t number, bool certain, uint64_t seconds) {
    const struct tally *tally = &common->tally;
    modules_write(&lines);
    lost_write(&lines);
    put_text(&lines, "T");
    const uint64_t numbers[] = {number,           certain,           tally->blocks, tally->lost,
                                tally->suspected, common->withdrawn, common->pause, seconds / 1000};
    for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++)
        put_number(&lines, numbers[i]);
    put_end(&lines);
    output_flush(&lines);
}

/* Scans this process, in which nothing else runs. False without memory. */
static bool scan(const struct here *here, uint16_t number, uint64_t began) {
    unsigned old = common->turn, new = !old;
    if (!heap_begin()) {
        say_no_memory();
        return false;
    }
    heap_hide((uintptr_t)common, (uintptr_t)(common + 1));
    dangling_begin(&common->danglings[new]);
    bool done = reach(here->sp, here->registers, MOST_WORDS);
    if (done) {
        bool certain = common->stood == ALL_STOOD;
        struct judging judging = {number, certain, judges_all, own_since};
        lost_collect(&common->losses[old], &common->losses[new], judging, &common->tally);
        common->withdrawn += common->tally.withdrawn;
        alias_report(&common->danglings[old], common->scan);
        common->seconds = clock_now(CLOCK_PROCESS_CPUTIME_ID) - began;
        write_scan(number, certain, common->seconds);
        common->scan = number;
        common->turn = (uint8_t) new;
    }
    heap_end();
    if (!done)
        say("leaks were not looked for: /proc cannot be read (another root?), or there is no "
            "memory");
    return done;
}

/* The copy: nothing of the program's may stay open through it. */
static __attribute__((noreturn)) void scan_copy(const struct here *here, uint16_t number,
                                                int process, bool waited_for) {
    output_for(process);
    uint32_t stood;
    while ((stood = __atomic_load_n(&common->stood, __ATOMIC_ACQUIRE)) == NOT_KNOWN)
        kernel(SYS_sched_yield);
    if (stood == COPIED_AGAIN)
        for (;;)
            kernel(SYS_exit_group, 0);
    kept_close_others();
    kernel(SYS_close, 0);
    kernel(SYS_close, 1);
    if (!waited_for)
        kernel(SYS_setpriority, 0, 0, LOWEST_PRIORITY);
    settings.live = false; /* what is live is not listed now */
    live_look_over(&lines, 0);
    bool done = scan(here, number, 0);
    for (;;)
        kernel(SYS_exit_group, !done);
}

/* Takes leave of the copy; false if it is still at work. */
static bool collect(bool wait) {
    int status;
    while (copy) {
        long gone = kernel(SYS_wait4, copy, &status, __WALL | (wait ? 0 : WNOHANG), 0);
        if (!gone)
            return false;
        if (gone != -EINTR)
            copy = 0;
    }
    return true;
}

/* What was not looked at, and what follows from it. */
static void say_running(int id) {
    struct lines text;
    text.used = 0;
    put_text(&text, "N thread");
    put_number(&text, (uint64_t)id);
    put_text(&text, signals_theirs() ? " ran on (the program uses the signal of scans itself)"
                                     : " ran on (it blocks the signal of scans by a system call of "
                                       "its own, or was not quick enough)");
    put_text(&text, ": its registers were not looked at, so nothing more is called lost");
    put_end(&text);
    output_flush(&text);
}

/* Copies the process while all threads stand still, if that can be. */
static long copy_once(const struct here *here, uint16_t number, bool wait) {
    common->stood = NOT_KNOWN;
    threads_stop(!signals_theirs(), wait ? PATIENCE_WAITED_FOR : PATIENCE);
    int process = (int)kernel(SYS_getpid);
    long made = kernel(SYS_clone, 0, 0, 0, 0, 0);
    if (!made)
        scan_copy(here, number, process, wait);
    return made;
}

static void copy_and_scan(const struct here *here, bool wait) {
    uint64_t start = begun = clock_now(CLOCK_MONOTONIC);
    uint16_t number = ++scans_begun;
    for (unsigned attempt = 1; !copy; attempt++) {
        long made = copy_once(here, number, wait);
        bool stood = threads_stood();
        int running = threads_running();
        threads_go();
        if (made < 0) {
            say("a scan was not possible: the process cannot be copied (no memory, or no processes "
                "left)");
            return;
        }
        copy = made;
        common->pause = (uint32_t)((clock_now(CLOCK_MONOTONIC) - start) / 1000);
        bool again = !stood && !running && attempt < ATTEMPTS; /* one woke up just then */
        __atomic_store_n(&common->stood,
                         stood   ? ALL_STOOD
                         : again ? COPIED_AGAIN
                                 : NOT_ALL,
                         __ATOMIC_RELEASE);
        if (running)
            say_running(running);
        if (wait || again)
            collect(true);
        if (!again)
            return;
    }
}

/* All signals wait while a thread is at it. */
static void scan_now(const struct here *here, bool wait) {
    uint64_t all = ~0ull, mask;
    kernel(SYS_rt_sigprocmask, SIG_SETMASK, &all, &mask, sizeof mask);
    if (!__atomic_exchange_n(&scanning, 1, __ATOMIC_ACQ_REL)) {
        if (prepare() && collect(wait))
            copy_and_scan(here, wait);
        __atomic_store_n(&scanning, 0, __ATOMIC_RELEASE);
    }
    kernel(SYS_rt_sigprocmask, SIG_SETMASK, &mask, NULL, sizeof mask);
}

/* By the timer: not before the last one is paid for. */
static bool is_time(void) {
    if (!common || !settings.scan_budget)
        return true;
    return clock_now(CLOCK_MONOTONIC) - begun >= common->seconds * 1000 / settings.scan_budget;
}

static void on_signal(int number, siginfo_t *info, void *context) {
    (void)number;
    if (signals_put_off(info, context) || signals_theirs())
        return;
    const greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    if (info->si_code == SI_TKILL) {
        threads_park(registers);
        return;
    }
    if (info->si_code == SI_TIMER && !is_time())
        return;
    struct here here = {.sp = (uintptr_t)registers[REG_RSP]};
    for (unsigned i = 0; i < MOST_WORDS; i++)
        here.registers[i] = (uintptr_t)registers[i];
    scan_now(&here, false);
}

/* Called by a macro of heapstory.h. How many blocks are called lost. */
EXPORT unsigned long heapstory_guard_scan(void);
EXPORT __attribute__((noinline)) unsigned long heapstory_guard_scan(void) {
    struct here here = stand_here();
    if (settings.ready)
        scan_now(&here, true);
    return common ? common->tally.lost : 0;
}

static void set_timer(void) {
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = THREADS_SIGNAL};
    struct timespec every = {settings.scan_every / 1000, settings.scan_every % 1000 * 1000000L};
    struct itimerspec times = {every, every};
    if (!kernel(SYS_timer_create, CLOCK_MONOTONIC, &event, &timer))
        kernel(SYS_timer_settime, timer, 0, &times, NULL);
}

void scan_without_signal(void) {
    if (timer >= 0)
        kernel(SYS_timer_delete, timer);
    timer = -1;
    say("the program uses the signal of scans (SIGRTMIN+13) itself: there are none by the clock or "
        "from outside");
}

void scan_start(void) {
    struct sigaction action = {.sa_sigaction = on_signal,
                               .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK};
    if (signals_theirs()) {
        settings.scan_every = 0;
        return;
    }
    __sigaction(THREADS_SIGNAL, &action, NULL);
    if (settings.scan_every)
        set_timer();
}

void scan_forked(int parent, bool alone) {
    forked_by = alone ? parent : 0;
    is_forked = true;
    own_since = ++scans_begun;
    lines.used = 0;
    if (common)
        kernel(SYS_munmap, common, sizeof *common);
    common = NULL;
    copy = 0;
    scanning = 0;
    timer = -1;
    if (settings.scan_every && !signals_theirs())
        set_timer();
}

uint16_t scan_own(void) {
    return own_since;
}

bool scan_at_end(const struct here *here, uint64_t own) {
    decide();
    if (!judges_all && !own)
        return false;
    uint64_t all = ~0ull;
    kernel(SYS_rt_sigprocmask, SIG_SETMASK, &all, NULL, sizeof all); /* it ends soon */
    if (__atomic_exchange_n(&scanning, 1, __ATOMIC_ACQ_REL) || !prepare())
        return true;
    if (copy)
        kernel(SYS_kill, copy, SIGKILL);
    collect(true);
    threads_stop(false, 0);
    if (standing_count) {
        threads_go();
        copy_and_scan(here, true);
        return true;
    }
    threads_go();
    common->stood = ALL_STOOD;
    common->pause = 0;
    uint64_t began = clock_now(CLOCK_PROCESS_CPUTIME_ID);
    scan(here, ++scans_begun, began);
    return true;
}
