/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Mode portable: functions of own code that look like an allocator which nobody named.
 *
 * A function gives out blocks if it returns addresses of heap memory, outside the blocks of known
 * allocators, that no function returned before (fresh), or that were given back in between. It
 * takes blocks back if it was the last one called with such an address before that was returned
 * again. A result counts if the code that follows the call reads it first of all. Each function is
 * looked at a limited number of times.
 *
 * Not seen: code without unwind tables (unwind.c), and blocks handed out in another way than by
 * returning them.
 */
#include "discovery/pass.h"
#include "pub_tool_hashtable.h"
#include "shared/addresses.h"
#include "shared/unwind.h"

#define MOST_LOOKS 4096
#define FEWEST_BLOCKS 8 /* given out; half as many must have come back */
#define MAX_LENGTH 0xFFFFFFu
#define RETURNED 2 /* in hs_fields: some function returned the address of this word */
#define TAKERS 4096

struct function {
    struct function *next; /* of the table */
    UWord start;           /* its key */
    Addr end;
    UInt looks;
    UInt returns;         /* of addresses that count */
    UInt fresh, recycled; /* of them */
    UInt taken;           /* blocks it took back */
};
static VgHashTable *functions;
static struct hs_addresses used_results; /* code that reads the result of the call before it */

/* The function that was last called with an address. A few are forgotten. */
static struct {
    Addr address;
    struct function *function;
} takers[TAKERS];

static Bool is_looking(const struct hs_superblock *b) {
    return b->own && hs_mode == HSW_PORTABLE;
}

/* NULL where nothing is known of the code. */
static struct function *function_of(Addr code) {
    struct hs_function found;
    struct function *function;
    if (!hs_function_around(code, &found))
        return NULL;
    if (!functions)
        functions = VG_(HT_construct)("hs.functions");
    function = VG_(HT_lookup)(functions, found.start);
    if (!function) {
        function = VG_(calloc)("hs.function", 1, sizeof *function);
        function->start = found.start;
        function->end = found.end;
        VG_(HT_add_node)(functions, function);
    }
    return function;
}

/* ---- what runs ---- */

/* False when the function was looked at often enough; its code is translated without, then. */
static Bool look(struct function *function, Addr code) {
    if (function->looks == MOST_LOOKS)
        hs_discard(code);
    return function->looks++ < MOST_LOOKS;
}

static Bool counts(Addr address) {
    UInt node = hs_node_at(address);
    return address % 8 == 0 && hs_is_heap(address) &&
           !(node && (hs_node(node)->flags & HS_KNOWN)) && !hs_leaving_out();
}

static void returns(Addr value, Addr caller, struct function *function, Addr code) {
    UInt place = value / 8 % TAKERS;
    struct function *taker = takers[place].address == value ? takers[place].function : NULL;
    if (!look(function, code) || !hs_addresses_have(&used_results, caller) || !counts(value))
        return;
    if (taker == function)
        return; /* of its own argument */
    function->returns++;
    if (!(hs_fields[value >> 3] & RETURNED)) {
        hs_fields[value >> 3] |= RETURNED;
        function->fresh++;
    } else if (taker) {
        takers[place].address = 0;
        taker->taken++;
        function->recycled++;
    }
}

static void called_with(Addr argument, struct function *function) {
    UInt place = argument / 8 % TAKERS;
    if (!look(function, function->start) || !counts(argument))
        return;
    takers[place].address = argument;
    takers[place].function = function;
}

/* ---- instrumenting ---- */

static Bool is_result(Int offset) {
    return offset >= HS_OFFSET_RAX && offset < HS_OFFSET_RAX + 8;
}

static Bool reads_result(const IRSB *in) {
    for (Int i = 0; i < in->stmts_used; i++) {
        const IRStmt *s = in->stmts[i];
        if (s->tag == Ist_WrTmp && s->Ist.WrTmp.data->tag == Iex_Get &&
            is_result(s->Ist.WrTmp.data->Iex.Get.offset))
            return True;
        if (s->tag == Ist_Put && is_result(s->Ist.Put.offset))
            return False;
    }
    return False;
}

static IRExpr *is_returned(struct hs_superblock *b, IRExpr *address) {
    IRExpr *byte = hs_map_byte(b, hs_const((ULong)hs_fields), address);
    IRExpr *bit = hs_binop(b, Iop_And64, byte, hs_const(RETURNED));
    return hs_test(b, Iop_CmpNE64, bit, hs_const(0));
}

static IRExpr *in_heap(struct hs_superblock *b, IRExpr *address) {
    IRExpr *owner = hs_owner_at(b, address);
    return hs_test(b, Iop_CmpNE32, owner, IRExpr_Const(IRConst_U32(0)));
}

/* The function to look at that begins here. */
static struct function *beginning(const struct hs_superblock *b) {
    struct function *function = is_looking(b) ? function_of(b->start) : NULL;
    return function && function->start == b->start && function->looks <= MOST_LOOKS ? function
                                                                                    : NULL;
}

Bool hs_begins_function(const struct hs_superblock *b) {
    return beginning(b) != NULL;
}

void hs_look_at_entry(struct hs_superblock *b) {
    struct function *function = beginning(b);
    IRExpr *argument;
    if (is_looking(b) && reads_result(b->in))
        hs_addresses_add(&used_results, b->start);
    if (!function)
        return;
    argument = hs_get(b, HS_OFFSET_RDI);
    hs_call_if(b, is_returned(b, argument), "hs_called_with", called_with,
               mkIRExprVec_2(argument, hs_const((ULong)function)));
}

void hs_look_at_return(struct hs_superblock *b) {
    struct function *function = is_looking(b) ? function_of(b->instruction) : NULL;
    IRExpr *value;
    if (!function || function->looks > MOST_LOOKS)
        return;
    value = hs_get(b, HS_OFFSET_RAX);
    hs_call_if(
        b, in_heap(b, value), "hs_returns", returns,
        mkIRExprVec_4(value, b->in->next, hs_const((ULong)function), hs_const(b->instruction)));
}

/* ---- what is proposed ---- */

static Bool gives(const struct function *f) {
    return f->fresh >= FEWEST_BLOCKS && 2 * (f->fresh + f->recycled) >= f->returns;
}

static void propose(const struct function *f, UInt kind, UInt blocks) {
    ULong length = f->end - f->start;
    if (length > MAX_LENGTH)
        length = MAX_LENGTH;
    hs_record(HSW_CANDIDATE, f->start, blocks | length << 32 | (ULong)kind << 56);
}

void hs_send_candidates(void) {
    const struct function *f;
    if (!functions)
        return;
    VG_(HT_ResetIter)(functions);
    while ((f = VG_(HT_Next)(functions))) {
        if (gives(f))
            propose(f, HSW_CANDIDATE_GIVES, f->fresh);
        else if (f->taken >= FEWEST_BLOCKS / 2)
            propose(f, HSW_CANDIDATE_TAKES, f->taken);
    }
}
