/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * When a thread ends, what it had goes to the next one that begins, with the blocks that it held
 * back: programs that start threads all the time pay for a few of them. */
#include "thread.h"
#include "kernel.h"

#include <errno.h>
#include <pthread.h>

__thread struct thread *thread;
struct thread *all_threads;
static __thread bool ended __attribute__((tls_model("initial-exec")));
static pthread_key_t at_end;
static bool has_key;
static struct thread *left; /* of threads that have ended */
static int taken;           /* lock of `left`; who does not get it goes without */

static void leave(void *own) {
    ended = true;
    thread = NULL;
    while (__atomic_exchange_n(&taken, 1, __ATOMIC_ACQUIRE))
        ;
    ((struct thread *)own)->next = left;
    left = own;
    __atomic_store_n(&taken, 0, __ATOMIC_RELEASE);
}

static struct thread *inherit(void) {
    if (__atomic_exchange_n(&taken, 1, __ATOMIC_ACQUIRE))
        return NULL;
    struct thread *found = left;
    if (found)
        left = found->next;
    __atomic_store_n(&taken, 0, __ATOMIC_RELEASE);
    return found;
}

static struct thread *make(void) {
    struct thread *made = kernel_map(THREAD_BYTES);
    if (!made)
        return NULL;
    made->mask = settings.held_blocks - 1;
    made->enough = settings.held_blocks > 2 ? settings.held_blocks / 2 : 1;
    for (size_t piece = 0; piece < PIECES; piece++)
        made->rings[piece].held = made->held + piece * settings.held_blocks;
    made->other = __atomic_load_n(&all_threads, __ATOMIC_ACQUIRE);
    while (!__atomic_compare_exchange_n(&all_threads, &made->other, made, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE))
        ;
    return made;
}

__attribute__((noinline)) struct thread *thread_make(void) {
    if (!has_key || !settings.ready || ended)
        return NULL;
    int kept = errno;
    struct thread *made = inherit();
    made = made ? made : make();
    if (made) {
        thread = made; /* first: what follows may allocate */
        pthread_setspecific(at_end, made);
    }
    errno = kept;
    return made;
}

void thread_start(void) {
    has_key = !pthread_key_create(&at_end, leave);
}

void thread_forked(void) {
    taken = 0;
    left = NULL;
}
