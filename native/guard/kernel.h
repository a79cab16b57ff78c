/* System calls as they are: no errno, no cancellation point, the same in a signal handler or a
 * process that was made by clone.
 * SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef HEAPSTORY_GUARD_KERNEL_H
#define HEAPSTORY_GUARD_KERNEL_H

#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>

/* The result, or an error number with a minus. */
static inline long kernel6(long number, long a, long b, long c, long d, long e, long f) {
    long result;
    register long fourth __asm__("r10") = d;
    register long fifth __asm__("r8") = e;
    register long sixth __asm__("r9") = f;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(fourth), "r"(fifth), "r"(sixth)
                     : "rcx", "r11", "memory");
    return result;
}
#define kernel(...) kernel_padded(__VA_ARGS__, 0, 0, 0, 0, 0, 0)
#define kernel_padded(n, a, b, c, d, e, f, ...)                                                    \
    kernel6(n, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))

/* Whole pages, zero; NULL if there are none. */
void *kernel_map(size_t size);
void kernel_unmap(void *at, size_t size);
/* What is in an open file (or an error), as text; at most size - 1 bytes. Closes it. Returns how
 * many, or the error. */
long kernel_read_all(long file, char *text, size_t size);
/* Reads memory that may not be there; false if it is not. */
_Bool kernel_read_memory(void *to, const void *from, size_t size);

#endif
