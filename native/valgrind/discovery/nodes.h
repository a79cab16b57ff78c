/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The nodes that are discovered, and the maps over the heap: what runs. The pass that looks for
 * them in superblocks is in pass.c. docs/internals/portable.md is the design; the words used here
 * (owner, reach, extent, left-out) are explained there.
 */
#ifndef HEAPSTORY_DISCOVERY_NODES_H
#define HEAPSTORY_DISCOVERY_NODES_H

#include "shared/listeners.h"
#include "shared/options.h"
#include "shared/pages.h"
#include "shared/ring.h"

/* heap.c: which memory is heap, and the maps over it. A word is 8 bytes; the maps cover all words
 * below 128 GiB, and generated code finds their addresses in the thread's shadow state. */
#define HS_HEAP_BITS (HS_PAGE_BITS + 25)
#define HS_REACH 32           /* words a reach byte counts */
#define HS_BORDER 33          /* reach of a word that nobody owns yet: a mapping begins here */
#define HS_NOBODY 0x80000000u /* owner of a heap word that is in no node */
#define HS_GIVEN_UP 0xC0000000u
#define HS_NODE_BITS 0x3FFFFFFFu
#define HS_NOT_HEAD 16 /* in hs_heads: a heap word that is not the head of a cluster */
extern UInt *hs_owner;
extern UChar *hs_reach;
extern UChar *hs_heads; /* internals only */

void hs_heap_start(void);
void hs_heap_thread(ThreadId tid); /* a thread starts: its shadow state, its stack */
void hs_heap_mapped(const struct hs_mapping *mapping);
void hs_heap_unmapped(Addr start, SizeT length);
void hs_heap_protected(Addr start, SizeT length, UInt protection);
void hs_heap_remapped(Addr from, Addr to, SizeT length);
void hs_heap_grows(Addr start, SizeT length);
void hs_heap_shrinks(Addr start, SizeT length);
static inline Bool hs_is_heap(Addr address) {
    return address >> HS_HEAP_BITS == 0 && hs_owner[address >> 3] != 0;
}

/* nodes.c: the nodes, by number. A number is used again once no word refers to it any more. */
struct hs_node {
    Addr start;  /* as seen; its first word is start & ~7 */
    UInt words;  /* extent */
    UInt id;     /* on the wire; 0: the number is free */
    UInt left;   /* words that name this node as owner, alive or given up */
    UInt joined; /* where in its segment its last JOIN lies */
    UInt segment;
    UInt ended; /* the newest id when it was given up */
    UShort flags;
};
enum {
    HS_KNOWN = 1,    /* of a known allocator: its end will be seen */
    HS_REUSED = 2,   /* began where another one was */
    HS_PASSED = 4,   /* was an argument of left-out code since */
    HS_ENDED = 8,    /* given up */
    HS_TOUCHED = 16, /* accessed by its start since it was split off */
    HS_LISTED = 64,  /* came from a free list */
    HS_EMPTY = 32    /* never accessed: it has a word here, but none on the wire */
};
struct hs_node *hs_node(UInt number);
static inline Addr hs_extent_start(const struct hs_node *node) {
    return node->start & ~(Addr)7;
}
static inline Addr hs_extent_end(const struct hs_node *node) {
    return hs_extent_start(node) + 8 * (Addr)node->words;
}
/* The node that a word belongs to, 0 if to none. */
UInt hs_node_at(Addr address);
UInt hs_node_begins(Addr start, UInt how, UInt site, UShort flags);
void hs_node_ends(UInt number, UInt why, UInt site);
void hs_node_grows(UInt number, Addr end);
void hs_node_reaches(UInt number, Addr end); /* grows as far as others let it */
void hs_node_shrinks(UInt number, Addr end);
void hs_nodes_unmapped(Addr start, Addr end);
void hs_own_words(UInt owner, Addr start, Addr end); /* the maps say so from here on */
void hs_send_extent(UInt number);
void hs_send_nodes(void); /* all that are alive, for a snapshot; numbered anew */

/* inference.c: Algorithm 2. An access as the pass describes it. */
struct hs_access {
    Addr instruction;
    UInt site; /* 0 until it is needed */
    Int offset;
    UShort size;
    Bool store, own;
    Bool indexed;  /* the distance from the base is not constant */
    Bool summed;   /* and may itself be the distance of two pointers */
    Bool constant; /* after all, but too large to be checked as one */
};
void hs_learn_access(Addr base, Addr address, SizeT size, struct hs_access *access);
/* After a ranged operation; False: not to be sent now, left-out code did it. */
Bool hs_ranged_access(Addr start, SizeT length, UInt kind, UChar byte, ULong site);
void hs_ranged_read(Addr start, SizeT length, ULong site);
void hs_ranged_write(Addr start, SizeT length, ULong site); /* that is recorded otherwise */
UInt hs_access_site(struct hs_access *access);
struct hs_access *hs_new_store(Addr instruction, UInt size, Bool own); /* for good */
UInt hs_node_below(Addr address); /* that the next words without owner belong to */

/* counts.c: what was not learnt, for the end of the recording. */
void hs_count(UInt what);
void hs_send_counts(void);

/* candidates.c */
void hs_send_candidates(void);

/* formats.c */
void hs_formats_start(void);

/* fields.c: words that the code addresses by themselves, portable only. Bits per word. */
#define HS_FIELD 1
extern UChar *hs_fields;
void hs_field_found(Addr address);
void hs_fields_forgotten(Addr from, Addr to);                   /* numbers of words */
void hs_copy_over_fields(Addr start, SizeT length, ULong site); /* about to be made */
void hs_copied_over_fields(Addr start);
ULong hs_call_over_fields(void); /* a call that stores texts, which has a number */
void hs_text_over_fields(ULong call, Addr text, SizeT most); /* it is about to store this one */
void hs_texts_stored(ULong call);
SizeT hs_text_length(Addr text); /* formats.c */

/* suspicions.c */
void hs_suspicious(UInt kind, UInt base_node, Addr base, UInt node, Addr address, SizeT size,
                   UInt site);

/* clusters.c: internals only, where the owner map has numbers of clusters. */
void hs_merge(UInt base_node, UInt node, UInt site);
void hs_pointer_stored(Addr address, Addr value, ULong site);
UInt hs_member_at(UInt cluster, Addr address);
void hs_touched(Addr address);
extern ULong hs_touches; /* nodes that were touched so far */
UInt hs_new_cluster(UInt node);
void hs_cluster_words(UInt cluster, Word words); /* so many more are its */
void hs_leave_cluster(UInt node);

/* left_out.c */
void hs_left_out_start(void);
Bool hs_is_left_out(Addr code); /* by name, library or range */
/* Code of a library that is an allocator as a whole. Where nobody calls its functions it is not
 * left out (it may write to the program), but what it does with free blocks says nothing of nodes.
 */
Bool hs_is_allocators(Addr code);
Bool hs_leaving_out(void); /* left-out code runs in the current thread */
UInt hs_block_begins(Addr start, UInt how, UInt site, UShort flags);
extern Bool hs_free_lists;   /* --allocator=free-lists */
extern Bool hs_blocks_touch; /* an allocator without headers between its blocks was seen */
void hs_hold_back(Addr start, SizeT length, UInt kind, UChar byte, ULong site);

#endif
