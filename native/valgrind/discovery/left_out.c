/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The allocator, in mode portable: what it does is left out, what it returns is where nodes begin.
 *
 * Left out is whatever runs between the entry of an allocator's function and its return (watch.c),
 * in the same thread; when the stack pointer is above that of the entry, the call is over however
 * it ended. Known are malloc and its family by name, in any module: the code of their helpers is
 * not instrumented at all, and free ends a node. Services (statistics, settings) walk through the
 * allocator's data and may write what they tell to the program, so their code is instrumented.
 * Others are given by --allocator: a function's name, a library's file name, a range LOW-HIGH of
 * addresses, or free-lists (free_lists.c).
 *
 * In mode internals nothing is left out; the family is watched only to tell the truth (--truth).
 */
#include "discovery/nodes.h"
#include "functions/watch.h"
#include "shared/modules.h"
#include "shared/places.h"
#include "shared/ranges.h"

#define MAX_HELD 16
#define FAMILY (sizeof family / sizeof *family)

enum kind { ALLOCATE, ZEROED, ALIGNED, POSIX, REALLOCATE, FREES, SERVICE };

static const struct {
    const HChar *name;
    enum kind kind;
} family[] = {
    {"malloc", ALLOCATE},
    {"__libc_malloc", ALLOCATE},
    {"__minimal_malloc", ALLOCATE},
    {"calloc", ZEROED},
    {"__libc_calloc", ZEROED},
    {"__minimal_calloc", ZEROED},
    {"memalign", ALIGNED},
    {"__libc_memalign", ALIGNED},
    {"aligned_alloc", ALIGNED},
    {"valloc", ALLOCATE},
    {"__libc_valloc", ALLOCATE},
    {"pvalloc", ALLOCATE},
    {"__libc_pvalloc", ALLOCATE},
    {"posix_memalign", POSIX},
    {"__posix_memalign", POSIX},
    {"realloc", REALLOCATE},
    {"__libc_realloc", REALLOCATE},
    {"__minimal_realloc", REALLOCATE},
    {"reallocarray", REALLOCATE},
    {"__libc_reallocarray", REALLOCATE},
    {"free", FREES},
    {"__libc_free", FREES},
    {"cfree", FREES},
    {"__minimal_free", FREES},
    {"mallctl", SERVICE},
    {"mallctlbymib", SERVICE},
    {"mallctlnametomib", SERVICE},
    {"malloc_info", SERVICE},
    {"malloc_stats", SERVICE},
    {"malloc_stats_print", SERVICE},
    {"malloc_trim", SERVICE},
    {"malloc_usable_size", SERVICE},
    {"mallinfo", SERVICE},
    {"mallinfo2", SERVICE},
    {"mallopt", SERVICE},
    /* Of modules that have malloc; others call it. */
    {"operator new(unsigned long)", ALLOCATE},
    {"operator new[](unsigned long)", ALLOCATE},
    {"operator new(unsigned long, std::nothrow_t const&)", ALLOCATE},
    {"operator new[](unsigned long, std::nothrow_t const&)", ALLOCATE},
    {"operator new(unsigned long, std::align_val_t)", ALLOCATE},
    {"operator new[](unsigned long, std::align_val_t)", ALLOCATE},
    {"operator new(unsigned long, std::align_val_t, std::nothrow_t const&)", ALLOCATE},
    {"operator new[](unsigned long, std::align_val_t, std::nothrow_t const&)", ALLOCATE},
    {"operator delete(void*)", FREES},
    {"operator delete[](void*)", FREES},
    {"operator delete(void*, std::nothrow_t const&)", FREES},
    {"operator delete[](void*, std::nothrow_t const&)", FREES},
    {"operator delete(void*, unsigned long)", FREES},
    {"operator delete[](void*, unsigned long)", FREES},
    {"operator delete(void*, std::align_val_t)", FREES},
    {"operator delete[](void*, std::align_val_t)", FREES},
    {"operator delete(void*, std::align_val_t, std::nothrow_t const&)", FREES},
    {"operator delete[](void*, std::align_val_t, std::nothrow_t const&)", FREES},
    {"operator delete(void*, unsigned long, std::align_val_t)", FREES},
    {"operator delete[](void*, unsigned long, std::align_val_t)", FREES},
};

/* Functions that only the family calls, in the C libraries that have symbols for them. */
static const HChar *const helpers[] = {"_int_malloc",
                                       "_int_free",
                                       "_int_realloc",
                                       "_int_memalign",
                                       "_mid_memalign",
                                       "sysmalloc",
                                       "sysmalloc_mmap",
                                       "systrim",
                                       "systrim.constprop.0",
                                       "malloc_consolidate",
                                       "unlink_chunk",
                                       "unlink_chunk.constprop.0",
                                       "unlink_chunk.isra.0",
                                       "tcache_init",
                                       "tcache_init.part.0",
                                       "tcache_thread_shutdown",
                                       "__malloc_arena_thread_freeres",
                                       "arena_get2",
                                       "arena_get2.part.0",
                                       "arena_get_retry",
                                       "new_heap",
                                       "heap_trim",
                                       "ptmalloc_init",
                                       "ptmalloc_init.part.0",
                                       "munmap_chunk",
                                       "mremap_chunk"};

struct custom {
    const HChar *name; /* of a function or library, NULL: a range */
    Addr low, high;
};
Bool hs_free_lists;
Bool hs_blocks_touch;
static struct custom *customs;
static UInt n_customs;

/* The allocator's function that runs in each thread: its stack pointer on entry, 0: none. */
static Addr *scope;

/* ---- options ---- */

static void parse(const HChar *text, struct custom *custom) {
    HChar *rest;
    custom->low = VG_(strtoull16)(text, &rest);
    if (rest != text && *rest == '-') {
        const HChar *high = rest + 1;
        custom->high = VG_(strtoull16)(high, &rest);
        if (rest != high && !*rest && custom->high > custom->low)
            return;
    }
    if (!*text)
        VG_(fmsg_bad_option)("--allocator", "a name, a library or LOW-HIGH is missing\n");
    if (VG_(strcmp)(text, "free-lists") == 0)
        hs_free_lists = True;
    custom->name = text;
}

static const HChar *base_name(const HChar *path) {
    const HChar *slash = VG_(strrchr)(path, '/');
    return slash ? slash + 1 : path;
}

static Bool is_library(const HChar *name, Addr code) {
    const HChar *path = hs_module_path(code);
    SizeT n = VG_(strlen)(name);
    return path &&
           (VG_(strcmp)(path, name) == 0 || VG_(strncmp)(base_name(path), base_name(name), n) == 0);
}

/* The --allocator whose code this is, -1 if none. `name`: the function it belongs to, or NULL. */
static Int custom_at(Addr code, const HChar *name) {
    for (UInt i = 0; i < n_customs; i++)
        if (customs[i].name
                ? (name && hs_same_function(customs[i].name, name)) ||
                      (VG_(strchr)(customs[i].name, '.') && is_library(customs[i].name, code))
                : code >= customs[i].low && code < customs[i].high)
            return i;
    return -1;
}

/* Its number in the family, -1: it is not one. */
static Int in_family(Addr code, const HChar *name) {
    for (UInt i = 0; name && i < FAMILY; i++)
        if (VG_(strcmp)(name, family[i].name) == 0)
            return VG_(strncmp)(name, "operator ", 9) || hs_allocates(code) ? (Int)i : -1;
    return -1;
}

static Bool is_left_out(Addr code) {
    const HChar *name = NULL;
    Int number;
    VG_(get_fnname)(VG_(current_DiEpoch)(), code, &name);
    number = in_family(code, name);
    if (number >= 0)
        return family[number].kind != SERVICE;
    for (UInt i = 0; name && i < sizeof helpers / sizeof *helpers; i++)
        if (VG_(strcmp)(name, helpers[i]) == 0)
            return True;
    return custom_at(code, name) >= 0;
}

Bool hs_is_left_out(Addr code) {
    if (hs_mode != HSW_PORTABLE || !is_left_out(code))
        return False;
    hs_module_allocates(code);
    return True;
}

Bool hs_leaving_out(void) {
    ThreadId tid = VG_(get_running_tid)();
    if (hs_mode != HSW_PORTABLE || !scope[tid])
        return False;
    if (VG_(get_SP)(tid) <= scope[tid])
        return True;
    scope[tid] = 0;
    return False;
}

/* ---- contents written by the allocator ---- */

static struct {
    Addr start;
    SizeT length;
    UInt kind;
    UChar byte;
    ULong site;
} held[MAX_HELD];
static UInt n_held;

void hs_hold_back(Addr start, SizeT length, UInt kind, UChar byte, ULong site) {
    if (n_held == MAX_HELD) {
        VG_(memmove)(held, held + 1, (MAX_HELD - 1) * sizeof *held);
        n_held--;
    }
    held[n_held].start = start;
    held[n_held].length = length;
    held[n_held].kind = kind;
    held[n_held].byte = byte;
    held[n_held++].site = site;
}

/* The node that was returned has what was copied into it, and reaches as far. */
static void send_held(UInt node) {
    UInt n = n_held;
    n_held = 0;
    for (UInt i = 0; i < n; i++) {
        Addr start = held[i].start, end = start + held[i].length;
        if (held[i].kind == HSW_RANGE_FILL)
            hs_send_fill(start, held[i].length, held[i].byte, held[i].site);
        else if (hs_page_is_on(start)) {
            hs_send_range(start, held[i].length, held[i].kind, held[i].site);
            if (node && hs_node(node)->start >= start && hs_node(node)->start < end)
                hs_node_reaches(node, end);
        }
    }
}

/* ---- births and ends ---- */

UInt hs_block_begins(Addr start, UInt how, UInt site, UShort flags) {
    UInt old = hs_node_at(start), number;
    if (!hs_is_heap(start))
        return 0;
    if (old && hs_extent_start(hs_node(old)) == (start & ~(Addr)7)) {
        hs_node_ends(old, HSW_END_REUSED, 0);
        flags |= HS_REUSED;
    } else if (old) {
        if (!(hs_node(old)->flags & HS_KNOWN))
            flags |= HS_REUSED;
        hs_node_shrinks(old, start);
    }
    number = hs_node_begins(start, how, site, flags);
    hs_node_grows(number, start + 1);
    return number;
}

static UInt node_starting_at(Addr address) {
    UInt number = hs_node_at(address);
    return number && hs_node(number)->start == address ? number : 0;
}

static void freed(Addr address) {
    UInt number = node_starting_at(address);
    if (number)
        hs_node_ends(number, HSW_END_FREED, 0);
    else if (address && hs_is_heap(address))
        hs_count(HSW_COUNTED_BAD_FREE);
}

/* A block that stays where it is keeps what is known of it, as far as it still reaches. */
static UInt reallocated(Addr old, Addr result, SizeT size) {
    UInt number = node_starting_at(old);
    Addr end = number ? hs_extent_end(hs_node(number)) : 0;
    if (!result) {
        if (number && size == 0)
            hs_node_ends(number, HSW_END_FREED, 0);
        return 0;
    }
    if (number)
        hs_node_ends(number, HSW_END_REALLOCATED, 0);
    if (result != old)
        return hs_block_begins(result, HSW_NODE_RETURNED, 0, HS_KNOWN);
    number = hs_block_begins(result, HSW_NODE_KEPT, 0, HS_KNOWN);
    if (number)
        hs_node_reaches(number, end < result + size ? end : result + size);
    return number;
}

/* ---- the truth ---- */

static void tell(UInt tag, Addr address, SizeT size, UInt allocator) {
    if (hs_options.truth && hs_is_heap(address))
        hs_record(tag, address, size | (ULong)(allocator | HSW_TRUTH) << 56);
}

static SizeT size_asked(const struct hs_call_note *note) {
    const ULong *a = note->argument;
    switch (family[note->number].kind) {
    case ZEROED:
        return a[0] * a[1];
    case ALIGNED:
        return a[1];
    case POSIX:
        return a[2];
    case REALLOCATE:
        return VG_(strstr)(family[note->number].name, "array") ? a[1] * a[2] : a[1];
    default:
        return a[0];
    }
}

static void tell_result(const struct hs_call_note *note, Addr result) {
    SizeT size = size_asked(note);
    switch (family[note->number].kind) {
    case REALLOCATE:
        if (result && note->argument[0]) {
            tell(HSW_REALLOC, result, size, HSW_MALLOC);
            tell(HSW_REALLOC_OLD, note->argument[0], 0, 0);
        } else if (result)
            tell(HSW_ALLOC, result, size, HSW_MALLOC);
        else if (size == 0 && note->argument[0])
            tell(HSW_FREE_BLOCK, note->argument[0], 0, HSW_MALLOC);
        break;
    case FREES:
    case SERVICE:
        break;
    default:
        if (result)
            tell(HSW_ALLOC, result, size,
                 family[note->number].kind == ZEROED ? HSW_CALLOC : HSW_MALLOC);
    }
}

/* ---- watching ---- */

/* The C library's allocator, and with its symbols in the program itself where that is static, has a
 * header before every block. jemalloc and others put blocks side by side. */
static Bool has_headers(Addr code) {
    const HChar *path = hs_module_path(code), *name = path ? base_name(path) : "";
    const HChar *found;
    return VG_(strncmp)(name, "libc.", 5) == 0 || VG_(strncmp)(name, "libc-", 5) == 0 ||
           VG_(strncmp)(name, "ld-", 3) == 0 ||
           (VG_(get_fnname)(VG_(current_DiEpoch)(), code, &found) &&
            VG_(strncmp)(found, "__libc_", 7) == 0);
}

Bool hs_is_allocators(Addr code) {
    return hs_mode == HSW_PORTABLE && hs_allocates(code) && !hs_is_own(code) && !has_headers(code);
}

static Int find(Addr code, const HChar *name) {
    Int custom, number = in_family(code, name);
    if (number >= 0) {
        if (!has_headers(code))
            hs_blocks_touch = True;
        return number;
    }
    if (hs_mode != HSW_PORTABLE)
        return -1;
    custom = custom_at(code, name);
    if (custom < 0 || (customs[custom].name && !name))
        return -1;
    return FAMILY + custom;
}

static void mark_arguments(const struct hs_call_note *note) {
    for (UInt i = 0; i < 2; i++) {
        UInt number = node_starting_at(note->argument[i]);
        if (number)
            hs_node(number)->flags |= HS_PASSED;
    }
}

/* In a range any superblock may come here: it is an entry if its caller lies outside. */
static Bool comes_from_outside(const struct hs_call_note *note) {
    const struct custom *custom = &customs[note->number - FAMILY];
    Addr caller = *(Addr *)note->sp;
    return custom->name || caller < custom->low || caller >= custom->high;
}

static Bool entered(const struct hs_call_note *note) {
    if (scope[note->tid] && note->sp <= scope[note->tid])
        return False; /* a function of the allocator called by another */
    if (note->number >= FAMILY && !comes_from_outside(note))
        return False;
    scope[note->tid] = note->sp;
    if (note->number < FAMILY && family[note->number].kind == FREES) {
        if (note->argument[0])
            tell(HSW_FREE_BLOCK, note->argument[0], 0, HSW_MALLOC);
        if (hs_mode == HSW_PORTABLE)
            freed(note->argument[0]);
    } else if (hs_mode == HSW_PORTABLE && note->number >= FAMILY)
        mark_arguments(note);
    return True;
}

static UInt known_returned(const struct hs_call_note *note, Addr result) {
    switch (family[note->number].kind) {
    case FREES:
    case SERVICE:
        return 0;
    case REALLOCATE:
        return reallocated(note->argument[0], result, size_asked(note));
    default:
        return result ? hs_block_begins(result, HSW_NODE_RETURNED, 0, HS_KNOWN) : 0;
    }
}

static void returned(const struct hs_call_note *note, ULong result, Bool used) {
    UInt node = 0;
    scope[note->tid] = 0;
    if (note->number < FAMILY) {
        if (family[note->number].kind == POSIX)
            result = (Int)result == 0 ? *(Addr *)note->argument[0] : 0;
        tell_result(note, result);
        if (hs_mode == HSW_PORTABLE)
            node = known_returned(note, result);
    } else if (used && result != note->argument[0])
        node = hs_block_begins(result, HSW_NODE_RETURNED, 0, 0);
    send_held(node);
}

static struct hs_watcher watcher = {find, entered, returned};

void hs_left_out_start(void) {
    XArray *list = hs_options.allocators;
    scope = VG_(calloc)("hs.scope", VG_N_THREADS + 1, sizeof *scope);
    n_customs = list ? VG_(sizeXA)(list) : 0;
    customs = VG_(calloc)("hs.customs", n_customs + 1, sizeof *customs);
    for (UInt i = 0; i < n_customs; i++)
        parse(*(const HChar **)VG_(indexXA)(list, i), &customs[i]);
    if (hs_mode == HSW_PORTABLE || hs_options.truth)
        hs_watch(&watcher);
}
