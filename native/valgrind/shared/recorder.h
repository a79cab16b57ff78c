/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of the recorder share: Valgrind's headers, the wire, and one group of declarations
 * per file. Nothing here is seen by the recorded program.
 */
#ifndef HEAPSTORY_RECORDER_H
#define HEAPSTORY_RECORDER_H

#include "pub_tool_basics.h"

#include "pub_tool_aspacemgr.h"
#include "pub_tool_debuginfo.h"
#include "pub_tool_guest.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_machine.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_options.h"
#include "pub_tool_replacemalloc.h"
#include "pub_tool_threadstate.h"
#include "pub_tool_tooliface.h"
#include "pub_tool_transtab.h"
#include "pub_tool_vki.h"
#include "pub_tool_vkiscnums.h"
#include "pub_tool_xarray.h"

#include "heapstory_wire.h"
#include "shared/copy.h"

/* options.c */
struct hs_options {
    const HChar *collector;      /* program to start; NULL: records go nowhere */
    const HChar *trace;          /* folder handed to it */
    XArray *collector_arguments; /* of const HChar* */
    Int ring_segments;
    Int segment_kib;
    Bool follow_children;
    Bool snapshot_at_exit;     /* for tests */
    ULong fail_allocation;     /* ordinal, see failures.c; 0: none */
    XArray *own, *not_own;     /* path prefixes, const HChar* */
    const HChar *from, *until; /* section of interest, see section.c */
    XArray *cpoints;           /* const HChar* */
    XArray *alloc_functions;   /* const HChar*, see custom_alloc.c */
    XArray *free_functions;
    XArray *allocators; /* const HChar*, see left_out.c */
    Bool truth;         /* tell what the allocation functions do, for comparison */
};
extern struct hs_options hs_options;
extern UInt hs_mode; /* enum hsw_mode */
Bool hs_process_option(const HChar *argument);
void hs_print_usage(void);
void hs_print_debug_usage(void);
void hs_init_options(void);

/* ring.c */
extern struct hsw_ring *hs_ring; /* never NULL once the program runs, and never moves */
/* Inline code calls hs_flush when the cursor has passed the limit; it is kept behind the struct in
 * the ring's first page, and is of no interest to the collector. */
#define HS_LIMIT_OFFSET 2048
#define hs_limit (*(ULong *)((Addr)hs_ring + HS_LIMIT_OFFSET))
#define HS_SHADOW_RING 16 /* where in a thread's first shadow state the ring's address lies */
extern Bool hs_recording; /* stores and calls are being sent (not before --from) */
void hs_ring_start(void);
void hs_ring_child(Bool follow); /* after fork, in the child */
void hs_flush(void);
SizeT hs_room(void); /* bytes that can be appended without a flush */
void hs_append(ULong first, ULong second);
void hs_append_here(ULong first, ULong second); /* there is room, and it is to be sent */
/* Changes a record, if it was not sent yet. */
void hs_amend(ULong cursor_before, Addr address, ULong value);
UInt hs_segment(void); /* ordinal of the one being filled */
void hs_scratch_ends(void);
void hs_make_room(void); /* a few records can now be appended to the same segment */
/* A record with a payload of `length` bytes and its HSW_END. At most HS_PAYLOAD_MAX. */
void hs_append_payload(ULong first, ULong second, const void *payload, SizeT length, ULong end);
#define HS_PAYLOAD_MAX 32768u

static inline void hs_record(UInt tag, Addr address, ULong value) {
    hs_append(HSW_WORD(tag, address & HSW_ADDRESS_MASK), value);
}

/* pages.c: a byte per 4-KiB page of the program's address space: what the cursor advances by when
 * a store falls into it. It can be read for any address; only pages below 128 GiB are ever on. */
#define HS_PAGE_BITS 12
#define HS_PAGES (1ul << 25)
#define HS_PAGE_ON 16
extern UChar *hs_pages;
void hs_pages_init(void);
void hs_pages_on(Addr start, SizeT length);
void hs_pages_off(Addr start, SizeT length);
static inline Bool hs_page_is_on(Addr address) {
    Addr page = address >> HS_PAGE_BITS;
    return page < HS_PAGES && hs_pages[page] != 0;
}

/* ranges.c */
void hs_range(Addr start, SizeT length, UInt kind, ULong site);
void hs_fill(Addr start, SizeT length, UChar byte, ULong site);
void hs_send_range(Addr start, SizeT length, UInt kind, ULong site); /* and nothing is learnt */
void hs_send_fill(Addr start, SizeT length, UChar byte, ULong site);

/* strings.c: a ranged operation that is under way; length 0: none. */
struct hs_pending {
    Addr start;
    SizeT length;
    ULong site;
};
extern struct hs_pending hs_pending;
void hs_send_pending(void); /* after a fault inside it */

/* walk.c */
IRSB *hs_instrument(VgCallbackClosure *closure, IRSB *in, const VexGuestLayout *layout,
                    const VexGuestExtents *extents, const VexArchInfo *host, IRType guest_word,
                    IRType host_word);
UInt hs_new_site(Addr instruction, UInt size, UInt kind, Bool own);

/* live.c: the blocks that are alive, by address. A live block is a word: size and allocator. */
static inline SizeT hs_live_size(ULong block) {
    return block & ((1ull << 56) - 1);
}
static inline UInt hs_live_allocator(ULong block) {
    return block >> 56;
}
void hs_live_init(Bool count_births);
void hs_live_add(Addr address, SizeT size, UInt allocator);
ULong *hs_live_find(Addr address); /* NULL if there is none */
void hs_live_remove(ULong *block);
ULong hs_live_birth(void); /* the next ordinal */
struct hs_block {
    Addr address;
    SizeT size;
    ULong birth;
    UInt allocator;
};
XArray *hs_live_sorted(void); /* of struct hs_block, in order of birth; to be deleted */

/* allocations.c */
void hs_allocations_init(void);
void *hs_malloc(ThreadId tid, SizeT n);
void *hs_calloc(ThreadId tid, SizeT count, SizeT size);
void *hs_realloc(ThreadId tid, void *p, SizeT size);
void *hs_new(ThreadId tid, SizeT n);
void *hs_new_array(ThreadId tid, SizeT n);
void hs_free(ThreadId tid, void *p);
void hs_delete(ThreadId tid, void *p);
void hs_delete_array(ThreadId tid, void *p);

/* failures.c */
Bool hs_allocation_fails(void);
void hs_asked_again(void); /* the question just answered with NULL comes a second time */

/* modules.c */
void hs_modules_init(void);
void hs_send_modules(void); /* all that are mapped, with their data */
Bool hs_is_own(Addr code);
Bool hs_in_preload(Addr code);
Bool hs_in_module_data(Addr address);
const HChar *hs_module_path(Addr code); /* NULL if it is none's */
Addr hs_unwind_table(Addr code);        /* 0 if there is none */

/* unwind.c */
struct hs_function {
    Addr start, end;
};
Bool hs_function_around(Addr code, struct hs_function *function); /* False: not known */

/* process.c */
void hs_process_init(void);
void hs_finish(Int exit_code);

/* addresses.c */
struct hs_addresses {
    Addr *slots;
    SizeT n_slots, n_used;
};
Bool hs_addresses_have(const struct hs_addresses *set, Addr address);
Bool hs_addresses_add(struct hs_addresses *set, Addr address); /* False: was there already */
void hs_addresses_clear(struct hs_addresses *set);

/* places.c */
struct hs_place {
    const HChar *name; /* of the function, or of the file when there is a line */
    UInt line;
    Bool at_exit;
    ULong times, reached;
};
Bool hs_parse_place(const HChar *text, struct hs_place *place);
Bool hs_place_starts(const struct hs_place *place, Addr code);
Bool hs_place_ends(const struct hs_place *place, Addr code);
Bool hs_same_function(const HChar *wanted, const HChar *found);

/* section.c */
void hs_section_start(void);
void hs_section_stop(void);
void hs_section_poll(void);
void hs_send_snapshot(void);
void hs_client_cpoint(ThreadId tid, const HChar *name);

/* client.c */
void hs_client_init(void);
void hs_send_roots(void);
SizeT hs_client_string(const HChar *text);

/* watch.c: one kind of function to watch. */
struct hs_call_note {
    ThreadId tid;
    Addr sp; /* on entry */
    struct hs_watcher *watcher;
    UInt number;
    ULong argument[6];
};
struct hs_watcher {
    Int (*find)(Addr code, const HChar *name); /* its number, or -1; name: if a function starts */
    Bool (*entered)(const struct hs_call_note *note); /* False: its return does not matter */
    void (*returned)(const struct hs_call_note *note, ULong result, Bool used);
};
void hs_watch(struct hs_watcher *watcher);

/* custom_alloc.c */
void hs_custom_start(void);
void hs_custom_blocks(XArray *all); /* adds those alive */

/* receivers.c */
void hs_receivers_forget(void);

/* scan.c */
extern const UShort hs_dwarf_registers[16]; /* guest offsets by DWARF number */
/* `returning`: the running thread is about to return from a function, whose frame and scratch
 * registers hold nothing any more. */
void hs_scan_threads(Bool returning);

#endif
