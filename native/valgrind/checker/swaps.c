/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stacks, as far as it takes C code: what a change of the stack pointer does to the memory between
 * its two values, and whether it is a change to another stack, which does nothing to it.
 *
 * A change by addition or subtraction stays on its stack. Any other may leave it; those that come
 * from the frame pointer, as a function's end does, are only looked at beyond a threshold, which
 * grows where large frames are common and shrinks where stacks are small.
 *
 * Whether it leaves its stack is seen by what lies where it leads. Beyond the top of a stack all is
 * unaddressable, so a new top below the old one that can be accessed is another stack's. A new top
 * above the old one is another stack's if it is above the place where this one was entered, if a
 * stack was left there before, or if nothing was ever stored below it, as there would be where
 * functions have been called, unless it was there before it was rounded down.
 */
#include "checker/checker.h"
#include "checker/values.h"
#include "functions/functions.h"
#include "shared/listeners.h"

#define FIRST_THRESHOLD (36u << 10)
#define PATIENCE 16 /* large changes on one stack before the threshold grows */
#define NEAR 128    /* bytes below a new top that are looked at */
#define MOST_KNOWN (64ul << 20)
#define TOPS 1024 /* as many places where a stack was left are remembered */

static SizeT threshold = FIRST_THRESHOLD;
static UInt large_changes;

/* Of each thread, by Valgrind's number. */
static struct stack {
    Addr entered;     /* the stack it is on: the stack pointer when it came there */
    Addr own_entered; /* the one it began on */
    Addr own_low;     /* and its lower end */
    Addr own_left;    /* where it last left that one */
    ULong swaps;      /* how often it has left one */
} * stacks;

static struct stack *running(void) {
    return &stacks[VG_(get_running_tid)()];
}

static void allocated(Addr before, Addr after) {
    hs_set_states(after - HS_RED_ZONE, before - after, HS_FRESH);
}

static void given_back(Addr before, Addr after) {
    hs_set_states(before - HS_RED_ZONE, after - before, HS_UNADDRESSABLE);
}

void hs_stack_moved(Addr before, Addr after) {
    if (after < before)
        allocated(before, after);
    else
        given_back(before, after);
}

/* ---- other stacks ---- */

static Bool is_accessible(Addr address) {
    return hs_state(address) != HS_UNADDRESSABLE;
}

static Bool is_untouched(Addr start, SizeT length) {
    return hs_find_state(start, length, ~HS_ANY_OF(HS_FRESH)) == start + length;
}

/* Where the stack pointer was before it was rounded down or made room for an array: a function
 * that keeps it in a register (the loader's, when it looks a function up) comes back to there, over
 * memory that it has perhaps not stored to. */
static struct rounded {
    Addr top;
    ULong swaps; /* of the thread by then */
} rounded_at[TOPS];

void hs_stack_rounded(Addr before, Addr after) {
    rounded_at[before / 8 % TOPS] = (struct rounded){before, running()->swaps};
    hs_stack_moved(before, after);
}

static const struct rounded *rounded(Addr top) {
    const struct rounded *found = &rounded_at[top / 8 % TOPS];
    return found->top == top ? found : NULL;
}

/* Whether it is there that it was rounded, on the stack that it is still on. */
static Bool comes_back(const struct stack *stack, Addr top) {
    const struct rounded *found = rounded(top);
    return found && found->swaps == stack->swaps && top <= stack->entered;
}

/* Where stacks were left: that is where they are entered again, or nearly. */
static Addr left_at[TOPS];

static void remember_left(Addr top) {
    left_at[top / NEAR % TOPS] = top;
}

static Bool was_left(Addr top) {
    for (Addr near = top / NEAR - 1; near <= top / NEAR + 1; near++) {
        Addr left = left_at[near % TOPS];
        if (left + NEAR > top && left < top + NEAR)
            return True;
    }
    return False;
}

static Bool is_swap(const struct stack *stack, Addr before, Addr after) {
    if (after >= HS_STATES_END)
        return True;
    if (after < before)
        return is_accessible(after) || is_accessible(after - 8);
    if (comes_back(stack, after))
        return False;
    if (after > stack->entered || was_left(after))
        return True;
    return !rounded(after) && is_untouched(after - NEAR, NEAR);
}

/* The block that a stack was given; 0: it is in none. */
static Addr block_of(Addr top) {
    Addr block = hs_block_below(top - 1, MOST_KNOWN);
    ULong *live = block ? hs_live_find(block) : NULL;
    return live && top <= block + hs_live_size(*live) + 16 ? block : 0;
}

/* Where the memory begins that a stack was given: a block, a mapping. */
static Addr memory_of(Addr top) {
    Addr block = block_of(top);
    const NSegment *segment = VG_(am_find_nsegment)(top - 1);
    if (block)
        return block;
    return segment ? segment->start : top;
}

/* The stack is a new one if the memory beyond its top can be accessed. From there one page that
 * nobody has stored to becomes unaddressable; more of it does when the stack shrinks again. Not so
 * in a variable of the thread's own stack: other variables are next to it. */
static void entered(struct stack *stack, Addr top) {
    Addr low = memory_of(top), from = top - HS_RED_ZONE;
    SizeT size = top - low;
    Bool in_own = top <= stack->own_entered && top > stack->own_low;
    Bool own = in_own && top < stack->own_left + NEAR;
    stack->entered = own ? stack->own_entered : top;
    if (in_own || !is_accessible(from - 1))
        return;
    if (size < threshold)
        threshold = size > VKI_PAGE_SIZE ? size - VKI_PAGE_SIZE : 0;
    if (low < from - VKI_PAGE_SIZE)
        low = from - VKI_PAGE_SIZE;
    while (from > low && hs_state(from - 1) == HS_FRESH)
        hs_set_state(--from, HS_UNADDRESSABLE);
}

void hs_stack_set(Addr before, Addr after, ULong from_frame) {
    SizeT distance = after > before ? after - before : before - after;
    struct stack *stack = running();
    if (from_frame && distance <= threshold) {
        hs_stack_moved(before, after);
        return;
    }
    if (is_swap(stack, before, after)) {
        if (stack->entered == stack->own_entered)
            stack->own_left = before;
        stack->swaps++;
        remember_left(before);
        entered(stack, after);
        return;
    }
    if (from_frame && ++large_changes > PATIENCE) {
        large_changes = 0;
        threshold += VKI_PAGE_SIZE;
    }
    hs_stack_moved(before, after);
}

/* ---- threads and signals ---- */

/* The first thread's stack lies at the end of what the kernel lets it grow to; another one's, at
 * the end of what was mapped for it, if that was mapped for nothing else. */
static void thread_starts(ThreadId tid) {
    struct stack *stack = &stacks[tid];
    Addr top = VG_(get_SP)(tid), low;
    const NSegment *segment = VG_(am_find_nsegment)(top - 1);
    SizeT size = VG_(thread_get_stack_size)(tid);
    stack->entered = stack->own_entered = top;
    low = tid == 1 ? VG_PGROUNDDN(top) - size : segment ? segment->start : top;
    stack->own_low = low;
    if (tid == 1 && top - HS_RED_ZONE > low)
        hs_set_states(low, top - HS_RED_ZONE - low, HS_UNADDRESSABLE);
}

/* A block that was a thread's stack can be used for other things. Stacks that the C library makes
 * are no blocks. */
static void thread_ends(ThreadId tid) {
    Addr top = VG_(get_SP)(tid), block = block_of(top), end;
    if (!block)
        return;
    for (Addr at = block; at < top; at = end) {
        at = hs_find_state(at, top - at, HS_ANY_OF(HS_UNADDRESSABLE));
        end = hs_find_state(at, top - at, ~HS_ANY_OF(HS_UNADDRESSABLE));
        hs_set_states(at, end - at, HS_FRESH);
    }
}

/* The frame of a handler, as far below its start as the red zone is large. */
static void signal_frame(Addr start, SizeT length, ThreadId tid) {
    hs_set_states(start, length, HS_FRESH);
}

static void signal_frame_gone(Addr start, SizeT length) {
    hs_set_states(start, length, HS_UNADDRESSABLE);
}

static const struct hs_listener listener = {.thread_starts = thread_starts,
                                            .thread_ends = thread_ends};

void hs_swaps_start(void) {
    stacks = VG_(calloc)("hs.stacks", VG_N_THREADS, sizeof *stacks);
    hs_listen(&listener);
    VG_(track_new_mem_stack_signal)(signal_frame);
    VG_(track_die_mem_stack_signal)(signal_frame_gone);
}
