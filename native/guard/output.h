/* The report: a text file per process, written line by line as things happen.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Every number is hexadecimal unless said otherwise; stacks are return addresses, innermost first,
 * joined by commas ("-": none). Who starts the program names them afterwards. BLOCK stands for
 * ADDRESS SIZE STATE ALLOCATED FREED.
 *
 *     heapstory-guard 1 PID PPID PROGRAM    begins a process, or what it became by exec
 *     M START END OFFSET BUILD-ID PATH      code of a module
 *     N TEXT                                a remark for the user
 *     F NUMBER KIND ADDRESS STACK BLOCK TEXT    a finding; NUMBER tells it from others
 *     C NUMBER COUNT                        it was found so many times
 *     S SITE BLOCKS BYTES STACK             live blocks of a site
 *     B SITE ADDRESS SIZE                   one of them
 *     X SIGNAL CODE ADDRESS STACK           a crash; ADDRESS is the faulting one
 *     R NAME VALUE PATTERN                  a register (or stack word) with a fill pattern
 *     K NAME VALUE BLOCK                    a register that refers to a block
 *     L SITE BLOCKS BYTES ADDRESS SIZE SINCE STACK    a scan calls lost: all of a site, one of them
 *     T NUMBER CERTAIN BLOCKS LOST SUSPECTED WITHDRAWN PAUSE CPU    ends a scan; decimal,
 *                                           microseconds. What earlier ones called lost is void
 *     U PROCESS                             another one's report could not be written; decimal
 *     E                                     an orderly end; without it the process was killed
 *
 * No lock is held, no descriptor kept and nothing allocated between two lines: the program may
 * close every descriptor, crash or be killed at any time.
 */
#ifndef HEAPSTORY_GUARD_OUTPUT_H
#define HEAPSTORY_GUARD_OUTPUT_H

#include "state.h"

struct lines {
    size_t used;
    char text[8000];
};

void output_open(const char *folder); /* NULL: stderr */
/* The process is about to give up system calls: all that may still be needed is opened, and from
 * now on nothing but write is called. */
void output_seal(void);
bool output_sealed(void);
/* The process is about to change its root or its user: the report stays open. */
void output_keep(void);
/* From now on this process, a copy, writes into the report of another. */
void output_for(int process);
void put_text(struct lines *lines, const char *text);
void put_hex(struct lines *lines, uint64_t number);
void put_number(struct lines *lines, uint64_t number);
void put_stack(struct lines *lines, const uintptr_t *frames, uint32_t count);
void put_site(struct lines *lines, uint32_t site);
/* Ends a line; writes when the buffer is nearly full. */
void put_end(struct lines *lines);
void output_flush(struct lines *lines);

#endif
