/* SPDX-License-Identifier: BSD-3-Clause */
/* Words a program can say to heapstory while it is being recorded or guarded.
 *
 *     HEAPSTORY_CPOINT("after insert");     here the data structures should be consistent
 *     HEAPSTORY_ROOT(&variable, "queue");   a named root: what it points to is of interest
 *     HEAPSTORY_MINE(block);                guard: this block is wanted, whatever refers to it
 *     HEAPSTORY_SCAN()                      guard: look now for blocks that nothing refers to; how
 *                                           many there are, 0 without the guard
 *     HEAPSTORY_LEAKS();                    check, record: look now for blocks that are lost
 *     HEAPSTORY_RECORDING()                 1 while being recorded, else 0
 *
 * Outside a recording, and without the guard, each costs a handful of instructions and does
 * nothing; on processors other than x86-64 it is nothing at all. Nothing needs to be linked. C and
 * C++.
 *
 * Redistribution and use in source and binary forms, with or without modification, are permitted
 * provided that the conditions of the BSD-3-Clause licence are met. THIS SOFTWARE IS PROVIDED "AS
 * IS", WITHOUT WARRANTY OF ANY KIND.
 */
#ifndef HEAPSTORY_H
#define HEAPSTORY_H

/* Numbers of the requests: 'H' 'S' and a counter. */
#define HEAPSTORY_REQUEST_RECORDING 0x48530001ull
#define HEAPSTORY_REQUEST_CPOINT 0x48530002ull
#define HEAPSTORY_REQUEST_ROOT 0x48530003ull
#define HEAPSTORY_REQUEST_LEAKS 0x48530004ull

#if defined(__x86_64__) && defined(__linux__) && (defined(__GNUC__) || defined(__clang__)) &&      \
    !defined(__ILP32__)
/* Four rotations by 128 bits in all leave rdi as it was, and xchg rbx, rbx does nothing: a sequence
 * that no compiler writes, and that Valgrind takes for a request with its arguments at rax. */
/* The guard is a library that may have been preloaded; if it was not, these are null. */
#ifdef __cplusplus
extern "C" {
#endif
extern void heapstory_guard_root(const void *address, unsigned long size) __attribute__((weak));
extern void heapstory_guard_mine(const void *block) __attribute__((weak));
extern unsigned long heapstory_guard_scan(void) __attribute__((weak));
#ifdef __cplusplus
}
#endif
#define HEAPSTORY_TELL_GUARD(function, ...) ((function) ? (function)(__VA_ARGS__) : (void)0)
#define HEAPSTORY_SCAN() (heapstory_guard_scan ? heapstory_guard_scan() : 0ul)

static inline unsigned long long heapstory_request(unsigned long long number,
                                                   unsigned long long first,
                                                   unsigned long long second,
                                                   unsigned long long third) {
    volatile unsigned long long arguments[6] = {number, first, second, third, 0, 0};
    volatile unsigned long long result = 0;
    unsigned long long answer;
    __asm__ volatile("rolq $3, %%rdi ; rolq $13, %%rdi\n\t"
                     "rolq $61, %%rdi ; rolq $51, %%rdi\n\t"
                     "xchgq %%rbx, %%rbx"
                     : "=d"(answer)
                     : "a"(&arguments[0]), "0"(result)
                     : "cc", "memory");
    return answer;
}
#else
static inline unsigned long long heapstory_request(unsigned long long number,
                                                   unsigned long long first,
                                                   unsigned long long second,
                                                   unsigned long long third) {
    (void)number, (void)first, (void)second, (void)third;
    return 0;
}
#define HEAPSTORY_TELL_GUARD(function, ...) ((void)0)
#define HEAPSTORY_SCAN() 0ul
#endif

#define HEAPSTORY_RECORDING() ((int)heapstory_request(HEAPSTORY_REQUEST_RECORDING, 0, 0, 0))
#define HEAPSTORY_LEAKS() ((void)heapstory_request(HEAPSTORY_REQUEST_LEAKS, 0, 0, 0))
#define HEAPSTORY_CPOINT(type)                                                                     \
    ((void)heapstory_request(HEAPSTORY_REQUEST_CPOINT, (unsigned long long)(const char *)(type),   \
                             0, 0))
#define HEAPSTORY_ROOT(address, name)                                                              \
    (HEAPSTORY_TELL_GUARD(heapstory_guard_root, (address), sizeof *(address)),                     \
     (void)heapstory_request(HEAPSTORY_REQUEST_ROOT, (unsigned long long)(address),                \
                             sizeof *(address), (unsigned long long)(const char *)(name)))
#define HEAPSTORY_MINE(block) HEAPSTORY_TELL_GUARD(heapstory_guard_mine, (block))

#endif
