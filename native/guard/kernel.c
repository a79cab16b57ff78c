/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "kernel.h"

#include <errno.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/uio.h>

void *kernel_map(size_t size) {
    long made = kernel(SYS_mmap, 0, size, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return made < 0 && made > -4096 ? NULL : (void *)made;
}

void kernel_unmap(void *at, size_t size) {
    if (at)
        kernel(SYS_munmap, at, size);
}

long kernel_read_all(long file, char *text, size_t size) {
    if (file < 0)
        return file;
    size_t used = 0;
    while (used < size - 1) {
        long got = kernel(SYS_read, file, text + used, size - 1 - used);
        if (got == -EINTR)
            continue;
        if (got <= 0)
            break;
        used += (size_t)got;
    }
    kernel(SYS_close, file);
    text[used] = 0;
    return (long)used;
}

bool kernel_read_memory(void *to, const void *from, size_t size) {
    struct iovec local = {to, size}, remote = {(void *)from, size};
    return kernel(SYS_process_vm_readv, kernel(SYS_gettid), &local, 1, &remote, 1, 0) == (long)size;
}
