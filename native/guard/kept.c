/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "kept.h"
#include "kernel.h"

#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

#define FROM 900 /* descriptors that programs do not count on */

static struct {
    bool open;
    long file;
    uint64_t device, inode;
} all[KEPT];

long kept(enum kept which) {
    struct stat now;
    bool same = all[which].open && !kernel(SYS_fstat, all[which].file, &now) &&
                now.st_dev == all[which].device && now.st_ino == all[which].inode;
    return same ? all[which].file : -1;
}

void keep(enum kept which, long file) {
    struct stat now;
    long before = kept(which);
    if (before >= 0)
        kernel(SYS_close, before);
    all[which].file = file < 0 ? -1 : kernel(SYS_fcntl, file, F_DUPFD_CLOEXEC, FROM);
    if (file >= 0)
        kernel(SYS_close, file);
    all[which].open = all[which].file >= 0 && !kernel(SYS_fstat, all[which].file, &now);
    if (all[which].open) {
        all[which].device = now.st_dev;
        all[which].inode = now.st_ino;
    }
}

void kept_close_others(void) {
    for (long from = 3, next;; from = next + 1) {
        next = -1;
        for (unsigned i = 0; i < KEPT; i++) {
            long file = kept((enum kept)i);
            if (file >= from && (next < 0 || file < next))
                next = file;
        }
        kernel(SYS_close_range, from, next < 0 ? ~0u : (unsigned)next - 1, 0);
        if (next < 0)
            return;
    }
}

void proc_keep(void) {
    if (kept(KEPT_PROC) < 0)
        keep(KEPT_PROC, kernel(SYS_openat, AT_FDCWD, "/proc", O_PATH | O_DIRECTORY | O_CLOEXEC, 0));
}

long proc_open(const char *name, int flags) {
    char path[96] = "/proc/";
    strncat(path, name, sizeof path - sizeof "/proc/");
    long file = kernel(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC | flags, 0);
    if (file < 0 && kept(KEPT_PROC) >= 0)
        file = kernel(SYS_openat, kept(KEPT_PROC), name, O_RDONLY | O_CLOEXEC | flags, 0);
    return file;
}

long proc_read(const char *name, char *text, size_t size) {
    return kernel_read_all(proc_open(name, 0), text, size);
}
