/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The recording pass: stores, calls and returns of own code, receivers of allocations. */
#ifndef HEAPSTORY_RECORDER_RECORDER_H
#define HEAPSTORY_RECORDER_RECORDER_H

#include "walk/pass.h"

/* stores.c */
extern const struct hs_pass hs_record_pass;
void hs_recorder_start(void);

/* calls.c */
Bool hs_wants_call(const struct hs_superblock *b);
void hs_record_call(struct hs_superblock *b);
void hs_record_return(struct hs_superblock *b);
Bool hs_jumps_away(const struct hs_superblock *b); /* into a library, for good */
void hs_record_jump_away(struct hs_superblock *b);

/* receivers.c */
void hs_find_receiver(const struct hs_superblock *b);
void hs_receivers_forget(void);

#endif
