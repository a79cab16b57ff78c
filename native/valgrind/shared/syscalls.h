/* SPDX-License-Identifier: GPL-2.0-or-later */
/* System calls of the recorder itself, below Valgrind: no bookkeeping, no signals, negative errno
 * as the kernel returns it. */
#ifndef HEAPSTORY_SYSCALLS_H
#define HEAPSTORY_SYSCALLS_H

#include "pub_tool_basics.h"

static inline Word hs_syscall(UWord number, UWord a, UWord b, UWord c, UWord d, UWord e, UWord f) {
    Word result;
    register UWord r10 __asm__("r10") = d;
    register UWord r8 __asm__("r8") = e;
    register UWord r9 __asm__("r9") = f;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
}

#endif
