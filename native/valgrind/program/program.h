/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of this folder tell each other, and main.c. */
#ifndef HEAPSTORY_PROGRAM_PROGRAM_H
#define HEAPSTORY_PROGRAM_PROGRAM_H

#include "walk/pass.h"

/* process.c */
UInt hs_thread_number(ThreadId tid); /* as records have it */
void hs_thread_runs(ThreadId tid);   /* what is sent from here on is of this thread */
void hs_process_init(void);
void hs_finish(Int exit_code);

/* system_calls.c: to be told of the begin and end of each. */
void hs_system_calls_init(void);
void hs_before_system_call(ThreadId tid, UInt number, const UWord *arguments);
void hs_after_system_call(ThreadId tid, UInt number, Word result);
void hs_tell_unfinished_calls(void); /* what calls that are under way have written so far */
void hs_tell_unseen(void);           /* that the kernel may write between calls, if so */

/* replaced.c: before and after each call. */
void hs_before_replacing(ThreadId tid, UInt number, const UWord *arguments);
void hs_after_replacing(ThreadId tid, Bool done);

/* hidden.c: whether it is not known what a call reads and writes, or not always. */
void hs_hidden_start(void);
Bool hs_is_hidden(UInt number);
Bool hs_is_unknown(UInt number);

/* surroundings.c */
void hs_surroundings_start(void);

/* section.c */
void hs_section_start(void);
extern const struct hs_pass hs_place_pass;
void hs_client_cpoint(ThreadId tid, const HChar *name);

/* snapshot.c */
void hs_send_snapshot(void);

/* holds.c: before the end of a recording is told. */
void hs_send_holds(void);

/* client.c */
void hs_client_init(void);
void hs_send_roots(void);
SizeT hs_client_string(const HChar *text);

/* scan.c. `returning`: the running thread is about to return from a function, whose frame and
 * scratch registers hold nothing any more. */
void hs_scan_start(void);
void hs_scan_moment(Bool returning);
void hs_scan_end(void); /* of the program: there is more time */
void hs_scan_now(void); /* somebody asks what is lost */
ULong hs_scans(void);   /* how often somebody did */

/* nudge.c: does what was asked for from outside. */
void hs_nudge_start(void);
void hs_nudge_poll(void);
/* Asks outside what a scan has found; NULL if nobody answers. */
struct hs_lost {
    ULong bytes[3], blocks[3]; /* lost, possibly lost, reachable */
};
const struct hs_lost *hs_ask_counts(ULong scan);

/* ended.c: whether a thread that has ended left this value there, and it refers to nothing. */
void hs_ended_start(void);
void hs_thread_ends(ThreadId tid);
Bool hs_is_left_behind(Addr address, ULong value);

/* last_words.c: what the kernel writes for a thread. */
void hs_last_words_start(void);
void hs_thread_is_made(const UWord *arguments); /* by clone, with these */
void hs_thread_is_forked(ThreadId tid);
void hs_thread_asks(ThreadId tid, UInt number, const UWord *arguments); /* by a system call */
Addr hs_cleared_word(ThreadId tid);                                     /* 0: none */
void hs_tell_last_words(ThreadId tid);                                  /* it is about to end */
void hs_await_last_words(void); /* what was told has been written then */

/* parts.c: addresses inside live blocks that pointers mean as they mean a start (enum hsw_part). */
void hs_visit_parts(void (*found)(Addr part, UInt why));

/* silence.c: errors that the program does not want to hear of. */
void hs_silence_start(void);
extern const struct hs_pass hs_silence_pass;

/* memcheck.c: client requests of Memcheck; whether it was one. */
Bool hs_memcheck_request(ThreadId tid, UWord *arguments, UWord *result);

#endif
