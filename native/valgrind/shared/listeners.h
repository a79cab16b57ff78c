/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What happens to the program while it runs, for those who want to hear of it: a pass listens to
 * what generated code does not see. Hooks may be NULL; listeners are told in the order in which
 * they were added.
 */
#ifndef HEAPSTORY_SHARED_LISTENERS_H
#define HEAPSTORY_SHARED_LISTENERS_H

#include "shared/tool.h"

struct hs_mapping {
    Addr start;
    SizeT length;
    UInt protection; /* 1 read, 2 write, 4 execute */
    Bool anonymous;
    Bool stack;   /* mapped with MAP_STACK */
    Bool startup; /* was there before the program ran */
};

struct hs_listener {
    void (*thread_starts)(ThreadId tid);
    void (*thread_ends)(ThreadId tid);

    void (*mapped)(const struct hs_mapping *mapping);
    void (*unmapped)(Addr start, SizeT length); /* or about to be mapped anew */
    void (*protected)(Addr start, SizeT length, UInt protection);
    void (*remapped)(Addr from, Addr to, SizeT length);
    void (*brk_grows)(Addr start, SizeT length);
    void (*brk_shrinks)(Addr start, SizeT length);

    /* Ranged operations: string functions, rep instructions, system calls. */
    void (*reads)(Addr start, SizeT length, ULong site);
    void (*overwrites)(Addr start, SizeT length, ULong site); /* a copy, before it is made */
    /* Written, and about to be sent; False: not now, the listener sends it. `byte`: of a fill. */
    Bool (*wrote)(Addr start, SizeT length, UInt kind, UChar byte, ULong site);

    /* All of them, recorded pages or not. From 0: a fill. */
    void (*moved)(Addr to, Addr from, SizeT length, ULong site);
    /* Before these: what says where they go, until told otherwise (length 0: nothing does). */
    void (*placed_by)(Addr start, SizeT length);
    void (*reallocated)(Addr to, Addr from, SizeT length); /* what a block held is in a new one */
    void (*looked)(Addr start, SizeT length, ULong site);  /* by functions of checked programs */
    void (*claimed_set)(Addr start, SizeT length, Addr code); /* by a client request */
    void (*result_from)(Addr start, SizeT length); /* of a function that the tool does itself */
    /* A system call: what it reads and may write, and (other threads may have run) what it wrote;
     * then its end, with the registers that it read (as HSW_SYSTEM_CALL has them). */
    void (*system_reads)(Addr start, SizeT length);
    void (*system_reads_text)(Addr start, SizeT length); /* of names, with their NUL */
    void (*system_reads_register)(ThreadId tid, PtrdiffT offset, SizeT size);
    void (*system_writes)(Addr start, SizeT length);
    void (*system_wrote)(Addr start, SizeT length);
    void (*system_called)(UInt registers);
    /* One of which nobody says what it writes; while it waits, other threads may make one. */
    void (*unknown_call)(ThreadId tid, const UWord *arguments);
    void (*unknown_call_ended)(ThreadId tid, Word result);
    /* By the kernel or by the core on its behalf, whatever for and recorded or not. */
    void (*written_outside)(Addr start, SizeT length);
    /* The superblock that runs is left before this instruction: it faulted (a handler is about to
     * run, or the program dies), or a section ends here. */
    void (*left)(Addr instruction);

    void (*level_changed)(void);   /* and all translations went */
    Bool (*leaves_out)(Addr code); /* this code is neither recorded nor examined */
    void (*snapshot)(void);        /* sends what is alive */
    void (*forked)(void);          /* in a child that is recorded: nothing was sent yet */
    void (*erred)(void);           /* an error was sent, just now */
    void (*ends)(void);            /* the last moment to send something */
};

#define HS_MAX_LISTENERS 16
extern const struct hs_listener *hs_listeners[HS_MAX_LISTENERS + 1]; /* up to a NULL */
void hs_listen(const struct hs_listener *listener);

#define HS_TELL(hook, ...)                                                                         \
    for (const struct hs_listener **hs_l = hs_listeners; *hs_l; hs_l++)                            \
        if ((*hs_l)->hook)                                                                         \
    (*hs_l)->hook(__VA_ARGS__)

#endif
