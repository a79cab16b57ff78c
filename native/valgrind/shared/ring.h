/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The ring of shared memory through which records go to the collector. */
#ifndef HEAPSTORY_SHARED_RING_H
#define HEAPSTORY_SHARED_RING_H

#include "shared/level.h"

extern struct hsw_ring *hs_ring; /* never NULL once the program runs, and never moves */
/* Generated code calls hs_flush when the cursor has passed the limit; it is kept behind the struct
 * in the ring's first page, and is of no interest to the collector. */
#define HS_LIMIT_OFFSET 2048
#define hs_limit (*(ULong *)((Addr)hs_ring + HS_LIMIT_OFFSET))
/* The record that generated code is still filling in, while it calls C code (else 0), and its
 * length: when that fills the segment, the record moves to the next one. */
#define HS_OPEN_OFFSET 2056
#define HS_OPEN_LENGTH_OFFSET 2064
#define hs_open_record (*(ULong *)((Addr)hs_ring + HS_OPEN_OFFSET))
#define hs_open_length (*(ULong *)((Addr)hs_ring + HS_OPEN_LENGTH_OFFSET))

void hs_ring_start(void);
Bool hs_is_heard(void);          /* there is a collector */
void hs_ring_child(Bool follow); /* after fork, in the child */
void hs_flush(void);
/* Hands over what there is if the collector has nothing to do. Between superblocks only. */
void hs_share(void);
void hs_stop_recording(void); /* for good, and says so */
extern Bool hs_stopped;
void hs_scratch_ends(void); /* no generated code appends any more after a stop */
void hs_make_room(void);    /* a few records can now be appended to the same segment */
void hs_append(ULong first, ULong second);
void hs_append_here(ULong first, ULong second); /* there is room, and it is to be sent */
/* A record with a payload of `length` bytes and its HSW_END. At most HS_PAYLOAD_MAX. */
void hs_append_payload(ULong first, ULong second, const void *payload, SizeT length, ULong end);
#define HS_PAYLOAD_MAX 32768u
/* Changes a record, if it was not sent yet. */
void hs_amend(ULong cursor_before, Addr address, ULong value);
UInt hs_segment(void); /* ordinal of the one being filled */

static inline void hs_record(UInt tag, Addr address, ULong value) {
    hs_append(HSW_WORD(tag, address & HSW_ADDRESS_MASK), value);
}

#endif
