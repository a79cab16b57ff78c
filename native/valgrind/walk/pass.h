/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A pass says what goes around the statements of a superblock. The walk (walk.c) copies the
 * original statements and asks each pass around each; a pass sees the original superblock, never
 * what another one emitted, and keeps what it knows of the superblock to itself. Superblocks are
 * translated one at a time.
 */
#ifndef HEAPSTORY_WALK_PASS_H
#define HEAPSTORY_WALK_PASS_H

#include "shared/level.h"

#define HS_WORDS 4 /* at most, of one store */

/* One superblock on its way. */
struct hs_superblock {
    const IRSB *in;
    IRSB *out;
    Addr start;
    Bool own;      /* code of the program itself */
    Bool preload;  /* of the preload object */
    Bool left_out; /* a listener says so: neither recorded nor examined */
    Bool slow;     /* of two translations of the same code (twins.h), this is the slow one */
    enum hs_level level;
    Bool appends; /* set by a pass that appends records by generated code: there must be room */
    Int replaced; /* set by a pass that replaces what follows this statement, else -1 */
    UInt stub;    /* set by a pass that does this instruction itself, counted from 1; 0: none */
    UInt stub_arguments; /* of it: the registers that it looks at, a bit for each */
    struct hs_stub_uses {
        UShort result, where, what; /* registers, see struct hsw_block */
    } stub_uses;

    Addr instruction; /* address of the current one */
    UInt length;      /* of it */
    UInt number;      /* of it, counted from 1 */
    Bool first;       /* it is the superblock's first */
    Int statement;    /* number of the current one */
    Bool preceded;    /* passes have emitted something since the instruction began */
    Bool left;        /* set by a pass: from this instruction on the slow translation goes on */

    /* The walk's own. */
    Int guest_size;       /* of the guest state; the shadow states follow it */
    IRExpr *ring;         /* atom holding the ring's address, NULL when it must be loaded again */
    IRExpr *cursor;       /* the same for the cursor */
    IRExpr *record;       /* a record that is still being filled in, NULL: none */
    ULong record_length;  /* of it */
    UChar *is_stack;      /* per temporary, see stack.c; NULL until somebody asks */
    Bool leaves_stack;    /* the same */
    Int sites_of;         /* the statement that the sites belong to */
    UInt sites[HS_WORDS]; /* of the words it stores, 0 until somebody asks */
};

struct hs_pass {
    /* Looks at the superblock before anything is copied. False: has nothing to say of it. If all
     * passes have nothing to say, it is left as it is; else all of them are asked what follows. */
    Bool (*examine)(struct hs_superblock *b);
    void (*start_block)(struct hs_superblock *b); /* before its first instruction */
    /* Behind the mark of an instruction. */
    void (*start_instruction)(struct hs_superblock *b);
    /* Then: True if the pass has emitted this instruction, the last one of its superblock, in its
     * own manner; nobody is asked about its statements. */
    Bool (*replace)(struct hs_superblock *b);
    void (*before_statement)(struct hs_superblock *b, const IRStmt *s);
    void (*after_statement)(struct hs_superblock *b, const IRStmt *s);
    void (*end_block)(struct hs_superblock *b); /* before it is left by its end */
    void (*forget)(void);                       /* after every examine */
};

void hs_add_pass(const struct hs_pass *pass);
IRSB *hs_walk(VgCallbackClosure *closure, IRSB *in, const VexGuestLayout *layout,
              const VexGuestExtents *extents, const VexArchInfo *host, IRType guest_word,
              IRType host_word);

/* Whether changes made by this code are recorded. */
static inline Bool hs_is_recorded(const struct hs_superblock *b) {
    return b->level != HS_NOTHING && !b->left_out;
}

/* stack.c: at a constant distance from the stack pointer. */
Bool hs_on_stack(struct hs_superblock *b, const IRExpr *address);
Bool hs_is_unrecorded_stack(struct hs_superblock *b, const IRExpr *address);
Bool hs_leaves_stack(struct hs_superblock *b); /* for another one */

/* stores.c: what a statement (store, guarded store, compare-and-swap) writes, as words of at most 8
 * bytes. To be asked behind the statement. */
struct hs_word {
    IRExpr *address, *value; /* the value zero-extended */
    UInt size;
    UInt site;
};
struct hs_stored {
    UInt n;
    IRExpr *guard; /* whether it happened, NULL: always */
    struct hs_word word[HS_WORDS];
};
Bool hs_is_store(struct hs_superblock *b, const IRStmt *s); /* that may hit more than the stack */
struct hs_stored hs_words_stored(struct hs_superblock *b, const IRStmt *s);
/* A value as words, lowest first, zero-extended; returns how many. */
UInt hs_value_words(struct hs_superblock *b, IRExpr *value, IRExpr *word[HS_WORDS]);
IRExpr *hs_cas_succeeded(struct hs_superblock *b, const IRCAS *cas); /* behind it */
/* HS_PAGE_ON (an atom) if the address lies in a recorded page and `guard` holds, else 0. */
IRExpr *hs_page_byte(struct hs_superblock *b, IRExpr *address, IRExpr *guard);

#endif
