/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "output.h"
#include "kept.h"
#include "kernel.h"
#include "sites.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#define MOST_PATH 4096

static char folder[MOST_PATH];
static long sealed; /* descriptor that is written to without a look; 0: not sealed */
static int other_process;
static int announced; /* the process whose file has its first line */
static int kept_by;   /* the process whose report that is */

void output_open(const char *path) {
    if (path && strlen(path) < sizeof folder - 32)
        strcpy(folder, path);
}

void put_text(struct lines *lines, const char *text) {
    for (; *text && lines->used < sizeof lines->text; text++)
        lines->text[lines->used++] = *text == '\n' ? ' ' : *text;
}

static void put_digits(struct lines *lines, uint64_t number, unsigned radix) {
    char digits[24], *at = digits + sizeof digits;
    *--at = 0;
    do
        *--at = "0123456789abcdef"[number % radix];
    while (number /= radix);
    put_text(lines, at);
}

void put_hex(struct lines *lines, uint64_t number) {
    put_text(lines, " ");
    put_digits(lines, number, 16);
}

void put_number(struct lines *lines, uint64_t number) {
    put_text(lines, " ");
    put_digits(lines, number, 10);
}

void put_stack(struct lines *lines, const uintptr_t *frames, uint32_t count) {
    put_text(lines, count && frames[0] ? " " : " -");
    for (uint32_t i = 0; i < count && frames[i]; i++) {
        put_text(lines, i ? "," : "");
        put_digits(lines, frames[i], 16);
    }
}

void put_site(struct lines *lines, uint32_t site) {
    put_stack(lines, sites[site].frames, site ? MOST_FRAMES : 0);
}

void put_end(struct lines *lines) {
    if (lines->used < sizeof lines->text)
        lines->text[lines->used++] = '\n';
    if (lines->used > sizeof lines->text - 1500)
        output_flush(lines);
}

static void first_line(struct lines *lines, int process) {
    char program[1024];
    long length = kernel(SYS_readlink, "/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = 0;
    put_text(lines, "heapstory-guard 1");
    put_number(lines, (uint64_t)process);
    put_number(lines, (uint64_t)kernel(SYS_getppid));
    put_text(lines, " ");
    put_text(lines, length > 0 ? program : "?");
    lines->text[lines->used++] = '\n';
}

static bool write_all(long file, const char *text, size_t size) {
    while (size) {
        long written = kernel(SYS_write, file, text, size);
        if (written == -EINTR)
            continue;
        if (written <= 0)
            return false;
        text += written;
        size -= (size_t)written;
    }
    return true;
}

/* FOLDER/NAME.PROCESS, opened. */
static long open_report(const char *name, int process) {
    struct lines path = {0};
    put_text(&path, folder);
    put_text(&path, "/");
    size_t length = path.used;
    put_text(&path, name);
    put_text(&path, ".");
    put_digits(&path, (uint64_t)process, 10);
    path.text[path.used] = 0;
    int how = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC;
    long file = kernel(SYS_openat, AT_FDCWD, path.text, how, 0600);
    if (file < 0 && kept(KEPT_FOLDER) >= 0)
        file = kernel(SYS_openat, kept(KEPT_FOLDER), path.text + length, how, 0600);
    return file;
}

void output_keep(void) {
    struct lines none = {0};
    int process = (int)kernel(SYS_getpid);
    if (!folder[0] || sealed || (kept_by == process && kept(KEPT_REPORT) >= 0))
        return;
    output_flush(&none);
    if (kept(KEPT_FOLDER) < 0)
        keep(KEPT_FOLDER,
             kernel(SYS_openat, AT_FDCWD, folder, O_PATH | O_DIRECTORY | O_CLOEXEC, 0));
    keep(KEPT_REPORT, open_report("process", process));
    kept_by = process;
}

/* A file without anything in it needs no room: who reads the reports knows that one is missing. A
 * process that may not even make that says so in the report of the one that forked it. */
static void leave_word(int process) {
    long file = folder[0] ? open_report("unwritten", process) : -1;
    if (file >= 0) {
        kernel(SYS_close, file);
    } else if (kept(KEPT_REPORT) >= 0) {
        struct lines word = {0};
        put_text(&word, "U");
        put_number(&word, (uint64_t)process);
        put_text(&word, " ");
        word.text[word.used - 1] = '\n';
        write_all(kept(KEPT_REPORT), word.text, word.used);
    }
}

/* To the file; to stderr where that fails (a full disk, a changed root, other rights). */
static void write_out(const char *text, size_t size, int process) {
    long file = folder[0] ? open_report("process", process) : -1;
    bool own = file < 0 && kept_by == process && kept(KEPT_REPORT) >= 0;
    bool gone = folder[0] && file == -ENOENT && !own; /* who started us has ended */
    bool done = (file >= 0 || own) && write_all(own ? kept(KEPT_REPORT) : file, text, size);
    if (file >= 0)
        kernel(SYS_close, file);
    if (!done && !gone) {
        static const char said[] = "heapstory: guard cannot write its report, which follows:\n";
        write_all(2, said, sizeof said - 1);
        write_all(2, text, size);
        leave_word(process);
    }
}

void output_for(int process) {
    other_process = process;
}

void output_seal(void) {
    struct lines none = {0};
    output_flush(&none);
    keep(KEPT_REPORT, folder[0] ? open_report("process", (int)kernel(SYS_getpid)) : -1);
    sealed = kept(KEPT_REPORT) >= 0 ? kept(KEPT_REPORT) : 2;
}

bool output_sealed(void) {
    return sealed;
}

void output_flush(struct lines *lines) {
    if (sealed) {
        write_all(sealed, lines->text, lines->used);
        lines->used = 0;
        return;
    }
    int process = other_process ? other_process : (int)kernel(SYS_getpid);
    if (__atomic_exchange_n(&announced, process, __ATOMIC_ACQ_REL) != process) {
        struct lines first = {0};
        first_line(&first, process);
        write_out(first.text, first.used, process);
    }
    if (lines->used)
        write_out(lines->text, lines->used, process);
    lines->used = 0;
}
