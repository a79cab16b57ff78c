/* The report: a text file per process, written line by line as things happen.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Every number is hexadecimal unless said otherwise; stacks are return addresses, innermost first,
 * joined by commas ("-": none). Who starts the program names them afterwards.
 *
 *     heapstory-guard 1 PID PPID PROGRAM          begins a process, or what it became by exec
 *     M START END OFFSET BUILD-ID PATH            code of a module
 *     N TEXT                                      a remark for the user
 *     F NUMBER KIND ADDRESS STACK BLOCK SIZE STATE ALLOCATED FREED TEXT    a finding; a NUMBER
 *     C NUMBER COUNT                              it was found so many times
 *     S SITE BLOCKS BYTES STACK                   live blocks of a site
 *     B SITE ADDRESS SIZE                         one of them
 *     X SIGNAL CODE ADDRESS STACK                 a crash; ADDRESS is the faulting one
 *     R NAME VALUE PATTERN                        a register (or stack word) with a fill pattern
 *     K NAME VALUE BLOCK SIZE STATE ALLOCATED FREED    a register that refers to a block
 *     E                                           an orderly end; without it the process was killed
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
void put_text(struct lines *lines, const char *text);
void put_hex(struct lines *lines, uint64_t number);
void put_number(struct lines *lines, uint64_t number);
void put_stack(struct lines *lines, void *const *frames, uint32_t count);
void put_site(struct lines *lines, uint32_t site);
/* Ends a line; writes when the buffer is nearly full. */
void put_end(struct lines *lines);
void output_flush(struct lines *lines);

/* Reads memory that may not be there; false if it is not. */
bool safe_read(void *to, const void *from, size_t size);

#endif
