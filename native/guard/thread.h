/* What each thread has of its own, so that nothing on the usual way needs a lock.
 * SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef HEAPSTORY_GUARD_THREAD_H
#define HEAPSTORY_GUARD_THREAD_H

#include "state.h"

#define MOST_SMALL 1024                          /* bytes of a block that counts as small */
#define PIECES ((MOST_SMALL + 47) / GRANULE + 1) /* numbers of libc's pieces for them */
#define MOST_LARGE 64                            /* larger blocks held back at a time */
#define RECENT_BITS 10
#define RECENT (1 << RECENT_BITS)
#define RECENT_FRAMES 3

/* A stack that was seen: if the words at these places are what they were, it is the same. */
struct recent {
    _Alignas(64) uintptr_t address; /* one line of the cache */
    uintptr_t frame;
    int32_t above[RECENT_FRAMES];
    uint32_t site;
    uintptr_t frames[RECENT_FRAMES];
};

struct ring {
    uint32_t first, count;
    char **held;
};

struct thread {
    bool busy;            /* a signal handler that allocates meanwhile must not touch any of this */
    uint32_t mask;        /* blocks in a ring, less one */
    uint32_t enough;      /* that many wait before the oldest is given out again */
    uint32_t since_paged; /* allocations since one that got pages of its own */
    struct thread *next;  /* of those whose thread has ended */
    struct thread *other; /* of all that were ever made */
    struct recent recent[RECENT];
    struct ring rings[PIECES]; /* by the number of granules of libc's piece */
    struct ring large;
    size_t large_bytes;
    char *held_large[MOST_LARGE];
    char *held[]; /* settings.held_blocks for each ring */
};

#define THREAD_BYTES (sizeof(struct thread) + PIECES * settings.held_blocks * sizeof(char *))

extern __thread struct thread *thread __attribute__((tls_model("initial-exec")));

/* The granules of libc's piece for a small block: what it asks for, libc's size, rounded up. */
static inline size_t piece_of(size_t size) {
    return (size + HEADER + TRAILER + 8 + GRANULE - 1) / GRANULE;
}

extern struct thread *all_threads;

void thread_start(void);
/* In a forked child, which has one thread. */
void thread_forked(void);
struct thread *thread_make(void);

/* NULL: before the settings are known, after the thread's end, without memory. */
static inline struct thread *thread_own(void) {
    return likely(thread != NULL) ? thread : thread_make();
}

static inline void thread_enter(struct thread *own) {
    own->busy = true;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}
static inline void thread_leave(struct thread *own) {
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    own->busy = false;
}

#endif
