/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions watched while they run: a call noted on entry, its result seen on return. */
#ifndef HEAPSTORY_FUNCTIONS_WATCH_H
#define HEAPSTORY_FUNCTIONS_WATCH_H

#include "walk/pass.h"

/* A call of a watched function. */
struct hs_call_note {
    ThreadId tid;
    Addr sp;     /* on entry */
    Addr caller; /* where it returns to */
    struct hs_watcher *watcher;
    UInt number;
    ULong argument[6]; /* as the caller gave them */
    ULong extra;       /* the watcher's */
};
/* One kind of function to watch. */
struct hs_watcher {
    Int (*find)(Addr code, const HChar *name); /* its number, or -1; name: if a function starts */
    Bool (*entered)(const struct hs_call_note *note); /* False: its return does not matter */
    void (*returned)(const struct hs_call_note *note, ULong result, Bool used);
    /* May change what the function is given; NULL: nothing is. */
    void (*adjust)(struct hs_call_note *note, ULong *arguments);
    Bool tail_calls; /* one may jump to another, and each is a call of its own */
};
void hs_watch(struct hs_watcher *watcher);
/* The outermost call that a thread with this stack pointer is inside of; NULL: none. */
const struct hs_call_note *hs_watched_call(const struct hs_watcher *watcher, ThreadId tid, Addr sp);
extern const struct hs_pass hs_watch_pass;

#endif
