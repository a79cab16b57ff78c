/* A process from its first allocation to its end: settings, fork, exit.
 * SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "allocate.h"
#include "crash.h"
#include "exec.h"
#include "findings.h"
#include "kernel.h"
#include "live.h"
#include "modules.h"
#include "paged.h"
#include "program.h"
#include "scan.h"
#include "signals.h"
#include "unwind.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/prctl.h>

struct settings settings;
static int process;   /* whose memory this is; differs in a child of vfork */
static bool is_child; /* forked, and did not become another program */
static bool alone;    /* its parent had one thread then */
static int ended;

extern int __cxa_atexit(void (*)(void *), void *, void *);
extern int __cxa_at_quick_exit(void (*)(void *), void *);

/* The value of NAME= in a list "NAME=1,OTHER=2". */
static uint32_t option(const char *list, const char *name) {
    size_t length = strlen(name);
    for (const char *at = list; at && *at; at = strchr(at, ','), at = at ? at + 1 : NULL)
        if (!strncmp(at, name, length) && at[length] == '=')
            return (uint32_t)strtoul(at + length + 1, NULL, 10);
    return 0;
}

static void read_settings(void) {
    const char *list = getenv("HEAPSTORY_GUARD");
    settings = (struct settings){
        .fill_new = option(list, "fill_new") & ~(GRANULE - 1u),
        .fill_freed = option(list, "fill_freed") & ~(GRANULE - 1u),
        .held_blocks = option(list, "held_blocks"),
        .held_bytes = option(list, "held_bytes"),
        .frames = option(list, "frames"),
        .moving_realloc = option(list, "moving_realloc"),
        .mismatches = option(list, "mismatches"),
        .leaks = option(list, "leaks"),
        .live = option(list, "live"),
        .alias_in_blocks = option(list, "alias_in_blocks"),
        .page_every = option(list, "page_every"),
        .scan_every = option(list, "scan_every"),
        .scan_budget = option(list, "scan_budget"),
        .ready = true,
    };
    if (!settings.held_blocks) /* preloaded without settings: rings have room for one at least */
        settings.held_blocks = 1;
}

static void remark(const char *text) {
    struct lines lines;
    lines.used = 0;
    put_text(&lines, "N ");
    put_text(&lines, text);
    put_end(&lines);
    output_flush(&lines);
}

/* So that it is known to be guarded, whatever becomes of it. */
static void announce(void) {
    struct lines lines;
    lines.used = 0;
    output_flush(&lines);
}

/* Whether the program has a function of ours itself. One that is not position independent and takes
 * its address has a stub of that name, which is not defined there and leads to us. */
static bool has_own(const char *name, const void *ours) {
    void *found = dlsym(RTLD_DEFAULT, name);
    Dl_info module;
    const ElfW(Sym) *symbol = NULL;
    if (!found || found == ours)
        return false;
    return !dladdr1(found, &module, (void **)&symbol, RTLD_DL_SYMENT) || !symbol ||
           symbol->st_shndx != SHN_UNDEF;
}

/* A program (not a library) that defines these itself is asked before us. */
static void look_for_own_functions(void) {
    if (has_own("malloc", (void *)guard_malloc))
        remark("the program has a malloc of its own: blocks that come from there are not guarded");
    if (has_own("_Znwm", (void *)guard_new))
        settings.mismatches = false;
}

static void finish(const struct here *here) {
    if ((!output_sealed() && (int)kernel(SYS_getpid) != process) ||
        __atomic_exchange_n(&ended, 1, __ATOMIC_ACQ_REL))
        return;
    struct lines lines;
    lines.used = 0;
    settings.live &= !is_child;
    uint64_t own = live_look_over(&lines, scan_own());
    findings_count(&lines);
    bool searched = settings.leaks && !output_sealed() && scan_at_end(here, own);
    if (lines.used || findings_any() || searched || !is_child) {
        put_text(&lines, "E");
        put_end(&lines);
        output_flush(&lines);
    }
}

static void at_exit(void *unused) {
    (void)unused;
    struct here here = stand_here();
    finish(&here);
}

/* In the parent. */
static void before_fork(void) {
    alone = __libc_single_threaded;
}

static void after_fork(void) {
    int parent = process;
    process = (int)kernel(SYS_getpid);
    is_child = true;
    thread_forked();
    scan_forked(parent, alone);
    modules_forget();
    findings_forget();
}

__attribute__((constructor)) static void start(void) {
    process = (int)kernel(SYS_getpid);
    output_open(getenv("HEAPSTORY_GUARD_REPORT"));
    thread_start();
    read_settings();
    program_start(getenv("HEAPSTORY_GUARD_REPORT"));
    if ((settings.page_every || program_names_code()) && !paged_start())
        remark("no block has pages of its own: there is no memory for them");
    announce();
    look_for_own_functions();
    exec_start();
    crash_start();
    signals_start(scan_without_signal);
    scan_start();
    pthread_atfork(before_fork, NULL, after_fork);
    /* Without a library it belongs to, it runs after the destructors of all of them. */
    __cxa_atexit(at_exit, NULL, NULL);
    __cxa_at_quick_exit(at_exit, NULL); /* the first, and so the last to run */
}

/* The status must not take the place of an address in a register. */
EXPORT void _exit(int status) {
    volatile int kept = status;
    struct here here = stand_here();
    finish(&here);
    for (;;)
        kernel(SYS_exit_group, kept);
}

EXPORT void _Exit(int status) {
    volatile int kept = status;
    struct here here = stand_here();
    finish(&here);
    for (;;)
        kernel(SYS_exit_group, kept);
}

/* A program that forbids itself system calls, deadly ones perhaps: ours must come before. */
static void seal(void) {
    struct lines lines;
    lines.used = 0;
    modules_write(&lines);
    put_text(&lines, "N the program gave up system calls (seccomp): leaks were not looked for");
    put_end(&lines);
    output_flush(&lines);
    output_seal();
}

EXPORT int prctl(int what, ...) {
    va_list list;
    va_start(list, what);
    long words[4];
    for (int i = 0; i < 4; i++)
        words[i] = va_arg(list, long);
    va_end(list);
    if (what == PR_SET_SECCOMP)
        seal();
    long result = kernel(SYS_prctl, what, words[0], words[1], words[2], words[3]);
    if (result >= 0)
        return (int)result;
    errno = (int)-result;
    return -1;
}

/* libseccomp's function that puts a filter into force. */
EXPORT int seccomp_load(void *filter);
EXPORT int seccomp_load(void *filter) {
    int (*next)(void *) = (int (*)(void *))dlsym(RTLD_NEXT, "seccomp_load");
    seal();
    return next ? next(filter) : -ENOSYS;
}

/* What is about to be unloaded can be named only now. */
EXPORT int dlclose(void *handle) {
    static int (*next)(void *);
    if (!next)
        next = (int (*)(void *))dlsym(RTLD_NEXT, "dlclose");
    struct lines lines;
    lines.used = 0;
    modules_write(&lines);
    if (lines.used)
        output_flush(&lines);
    int result = next(handle);
    unwind_forget();
    return result;
}
