/* Allocating and freeing guarded blocks, whoever asks for them.
 * SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef HEAPSTORY_GUARD_ALLOCATE_H
#define HEAPSTORY_GUARD_ALLOCATE_H

#include "state.h"

void *guard_allocate(size_t size, enum mark kind, struct caller caller);
void *guard_zeroed(size_t count, size_t size, struct caller caller);
/* The alignment is a power of two. */
void *guard_aligned(size_t alignment, size_t size, enum mark kind, struct caller caller);
void *guard_resize(void *user, size_t size, struct caller caller);
void guard_release(void *user, enum mark kind, struct caller caller);

/* The functions that we export under their usual names. */
extern void *guard_malloc(size_t size);
extern void *guard_new(size_t size);

#endif
