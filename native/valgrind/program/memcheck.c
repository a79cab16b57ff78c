/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Client requests of Memcheck (memcheck.h, valgrind.h) in a checked program. Understood are those
 * about states of memory, undefined bits, blocks of the program's own, pools, and numbers of errors
 * and leaks.
 */
#include "functions/functions.h"
#include "program/program.h"
#include "pub_tool_hashtable.h"
#include "shared/addressable.h"
#include "shared/errors.h"
#include "shared/listeners.h"
#include "shared/modules.h"
#include "shared/ring.h"
#include "shared/sites.h"

#include "memcheck.h"

/* A pool of blocks, by the address that names it. */
struct pool {
    VgHashNode node;
    SizeT redzone;
    Bool zeroed; /* its blocks are */
};
static VgHashTable *pools;

static struct pool *pool_of(Addr name) {
    return pools ? VG_(HT_lookup)(pools, name) : NULL;
}

static void make_pool(Addr name, SizeT redzone, Bool zeroed) {
    struct pool *pool = VG_(malloc)("hs.pool", sizeof *pool);
    if (!pools)
        pools = VG_(HT_construct)("hs.pools");
    pool->node.key = name;
    pool->redzone = redzone;
    pool->zeroed = zeroed;
    VG_(HT_add_node)(pools, pool);
}

static void end_pool(Addr name) {
    if (pool_of(name)) {
        hs_custom_end(name, 0, 0);
        VG_(free)(VG_(HT_remove)(pools, name));
    }
}

static void rename_pool(Addr from, Addr to) {
    struct pool *pool = pool_of(from);
    if (!pool)
        return;
    VG_(HT_remove)(pools, from);
    pool->node.key = to;
    VG_(HT_add_node)(pools, pool);
    hs_custom_rename(from, to);
}

static void get(const struct pool *pool, Addr name, Addr block, SizeT size) {
    hs_custom_begin(block, size, pool ? pool->redzone : 0, pool && pool->zeroed, name);
}

/* Where the program asks: the request itself, not who called the function that makes it. */
static UInt request_site(ThreadId tid) {
    Addr code = VG_(get_IP)(tid) - 1;
    return hs_new_site(code, 0, HSW_SITE_RANGED, hs_is_own(code));
}

/* What is no block, or no block any more, cannot be given back, nor can it grow. */
static void must_be_block(Bool was, ThreadId tid, Addr block) {
    if (!was && block)
        hs_bad_free(block, HSW_CUSTOM, request_site(tid));
}

static void put(ThreadId tid, Addr block) {
    must_be_block(hs_custom_free(block) || hs_free_by_request(block), tid, block);
}

static Bool pool_request(ThreadId tid, const UWord *arguments, UWord *result) {
    const struct pool *pool = pool_of(arguments[1]);
    switch (arguments[0]) {
    case VG_USERREQ__CREATE_MEMPOOL:
        make_pool(arguments[1], arguments[2], arguments[3] != 0);
        return True;
    case VG_USERREQ__DESTROY_MEMPOOL:
        end_pool(arguments[1]);
        return True;
    case VG_USERREQ__MEMPOOL_ALLOC:
        get(pool, arguments[1], arguments[2], arguments[3]);
        return True;
    case VG_USERREQ__MEMPOOL_FREE:
        must_be_block(pool && hs_custom_free(arguments[2]), tid, arguments[2]);
        return True;
    case VG_USERREQ__MEMPOOL_TRIM:
        hs_custom_end(arguments[1], arguments[2], arguments[3]);
        return True;
    case VG_USERREQ__MEMPOOL_CHANGE:
        put(tid, arguments[2]);
        get(pool, arguments[1], arguments[3], arguments[4]);
        return True;
    case VG_USERREQ__MOVE_MEMPOOL:
        rename_pool(arguments[1], arguments[2]);
        return True;
    case VG_USERREQ__MEMPOOL_EXISTS:
        *result = pool != NULL;
        return True;
    default:
        return False;
    }
}

/* The first byte that is not addressable, which is an error; 0 if all are. */
static Addr check(ThreadId tid, Addr start, SizeT length) {
    Addr bad = hs_first_unaddressable(start, length), code = VG_(get_IP)(tid) - 1;
    struct hs_error error = {.kind = HSW_UNADDRESSABLE_READ,
                             .address = start,
                             .bytes = length,
                             .code = code,
                             .own = hs_is_own(code)};
    if (bad == start + length)
        return 0;
    error.block = hs_block_meant(bad);
    hs_tell_error(&error);
    return bad;
}

static void make_defined(Addr start, SizeT length) {
    if (hs_states)
        hs_set_states(start, length, HS_DEFINED);
    else
        hs_make_addressable(start, length);
}

static void make_addressable_defined(Addr start, SizeT length) {
    for (Addr at = start; hs_states && at < start + length && at < HS_STATES_END; at++)
        if (hs_state(at) != HS_UNADDRESSABLE)
            hs_set_state(at, HS_DEFINED);
}

/* The first byte that is not defined, which is an error; 0 if all are, or nobody knows. */
static Addr check_values(ThreadId tid, Addr start, SizeT length) {
    UInt undefined = HS_ANY_OF(HS_FRESH) | HS_ANY_OF(HS_KEPT);
    Addr found = hs_states ? hs_find_state(start, length, undefined) : start + length;
    if (found == start + length)
        return 0;
    HS_TELL(claimed_set, found, 1, VG_(get_IP)(tid) - 1);
    return found;
}

static UChar get_bits(Addr address) {
    UInt state = hs_state(address);
    return state == HS_KEPT ? hs_kept[address >> 2].undefined[address & 3]
                            : (state == HS_FRESH) * 0xFF;
}

static void set_bits(Addr address, UChar bits) {
    if (bits == get_bits(address))
        return;
    hs_set_state(address, bits ? HS_KEPT : HS_DEFINED);
    hs_kept[address >> 2].undefined[address & 3] = bits;
    hs_kept[address >> 2].origin = HS_ORIGIN(address);
}

/* Undefined bits of memory, to or from the program's own: 1, or 3 if some of it is not addressable.
 */
static UWord copy_bits(Addr start, UChar *bits, SizeT length, Bool set) {
    if (hs_first_unaddressable(start, length) != start + length ||
        hs_first_unaddressable((Addr)bits, length) != (Addr)bits + length)
        return 3;
    for (SizeT i = 0; i < length; i++)
        if (set)
            set_bits(start + i, bits[i]);
        else {
            bits[i] = get_bits(start + i);
            hs_set_state((Addr)bits + i, HS_DEFINED);
        }
    return 1;
}

/* What the last scan has found, into the program's variables; none if there was no scan. */
static void count_leaks(const UWord *arguments, Bool blocks) {
    static const struct hs_lost nothing;
    const struct hs_lost *lost = hs_is_heard() && hs_scans() ? hs_ask_counts(hs_scans()) : &nothing;
    if (!lost)
        return;
    for (UInt i = 0; i < 3; i++)
        *(UWord *)arguments[1 + i] = blocks ? lost->blocks[i] : lost->bytes[i];
    *(UWord *)arguments[4] = 0;
}

Bool hs_memcheck_request(ThreadId tid, UWord *arguments, UWord *result) {
    if (!hs_checking())
        return False;
    switch (arguments[0]) {
    case VG_USERREQ__MAKE_MEM_NOACCESS:
        hs_make_unaddressable(arguments[1], arguments[2]);
        *result = -1;
        return True;
    case VG_USERREQ__MAKE_MEM_UNDEFINED:
        hs_make_addressable(arguments[1], arguments[2]);
        *result = -1;
        return True;
    case VG_USERREQ__MAKE_MEM_DEFINED:
        make_defined(arguments[1], arguments[2]);
        *result = -1;
        return True;
    case VG_USERREQ__MAKE_MEM_DEFINED_IF_ADDRESSABLE:
        make_addressable_defined(arguments[1], arguments[2]);
        *result = -1;
        return True;
    case VG_USERREQ__CHECK_MEM_IS_ADDRESSABLE:
        *result = check(tid, arguments[1], arguments[2]);
        return True;
    case VG_USERREQ__CHECK_MEM_IS_DEFINED:
        *result = check(tid, arguments[1], arguments[2]);
        if (!*result)
            *result = check_values(tid, arguments[1], arguments[2]);
        return True;
    case VG_USERREQ__GET_VBITS:
    case VG_USERREQ__SET_VBITS:
        if (hs_states)
            *result = copy_bits(arguments[1], (UChar *)arguments[2], arguments[3],
                                arguments[0] == VG_USERREQ__SET_VBITS);
        return True;
    case VG_USERREQ__DISABLE_ADDR_ERROR_REPORTING_IN_RANGE:
    case VG_USERREQ__ENABLE_ADDR_ERROR_REPORTING_IN_RANGE:
        hs_hear_of_accesses(arguments[1], arguments[2],
                            arguments[0] == VG_USERREQ__ENABLE_ADDR_ERROR_REPORTING_IN_RANGE);
        *result = arguments[2] != 0;
        return True;
    case VG_USERREQ__DO_LEAK_CHECK:
        hs_scan_now();
        return True;
    case VG_USERREQ__COUNT_LEAKS:
    case VG_USERREQ__COUNT_LEAK_BLOCKS:
        count_leaks(arguments, arguments[0] == VG_USERREQ__COUNT_LEAK_BLOCKS);
        return True;
    case VG_USERREQ__MALLOCLIKE_BLOCK:
        hs_custom_begin(arguments[1], arguments[2], arguments[3], arguments[4] != 0, 0);
        return True;
    case VG_USERREQ__RESIZEINPLACE_BLOCK:
        must_be_block(hs_custom_resize(arguments[1], arguments[3], arguments[4]), tid,
                      arguments[1]);
        return True;
    case VG_USERREQ__FREELIKE_BLOCK:
        put(tid, arguments[1]);
        return True;
    default:
        return pool_request(tid, arguments, result);
    }
}
