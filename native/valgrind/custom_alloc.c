/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Custom allocators and wrappers by name: --alloc-fn=NAME[:ARG[*ARG]] and --free-fn=NAME[:ARG].
 *
 * At the entry of an allocating function its size is noted together with the stack pointer; the
 * block is what rax holds when control comes back to the return address with the stack pointer one
 * word higher. A return address seen for the first time has its translation thrown away, so that
 * the new one asks. Calls that never return (longjmp, exceptions) leave a note that nobody
 * collects; the oldest go when there are many.
 *
 * Only the first six integer arguments can be named. Functions that were inlined are not seen.
 */
#include "ir.h"
#include "pub_tool_hashtable.h"

#define MAX_NOTES 4096

struct function {
    const HChar *name;
    UInt size, count; /* argument numbers from 1; count 0: none */
    Bool frees;
};

struct note {
    ThreadId tid;
    Addr sp; /* on entry */
    SizeT size;
};

static struct function *functions;
static UInt n_functions;
static struct note notes[MAX_NOTES];
static UInt n_notes;
static struct hs_addresses return_addresses;

/* Blocks alive; a wrapper's are malloc's and not here. */
struct custom {
    struct _VgHashNode node; /* key: address */
    SizeT size;
    ULong birth;
};
static VgHashTable *blocks;

static void forget_block(Addr address) {
    struct custom *block = blocks ? VG_(HT_remove)(blocks, address) : NULL;
    if (block)
        VG_(free)(block);
}

static void keep_block(Addr address, SizeT size) {
    struct custom *block = VG_(malloc)("hs.custom", sizeof *block);
    forget_block(address);
    if (!blocks)
        blocks = VG_(HT_construct)("hs.customs");
    block->node.key = address;
    block->size = size;
    block->birth = hs_live_birth();
    VG_(HT_add_node)(blocks, block);
}

void hs_custom_blocks(XArray *all) {
    struct custom *block;
    if (!blocks)
        return;
    VG_(HT_ResetIter)(blocks);
    while ((block = VG_(HT_Next)(blocks))) {
        struct hs_block copy = {block->node.key, block->size, block->birth, HSW_CUSTOM};
        VG_(addToXA)(all, &copy);
    }
}

static void parse(const HChar *option, const HChar *text, Bool frees) {
    struct function *f = &functions[n_functions++];
    HChar *name = VG_(strdup)("hs.function", text), *mark = VG_(strrchr)(name, ':'), *rest;
    f->size = 1;
    f->frees = frees;
    f->name = name;
    if (mark && mark[1] >= '0' && mark[1] <= '9' && (mark == name || mark[-1] != ':')) {
        f->size = VG_(strtoull10)(mark + 1, &rest);
        if (*rest == '*' && !frees)
            f->count = VG_(strtoull10)(rest + 1, &rest);
        if (*rest || f->size < 1 || f->size > 6 || f->count > 6)
            VG_(fmsg_bad_option)(option, "arguments are numbered 1 to 6\n");
        *mark = 0;
    }
    if (!*name)
        VG_(fmsg_bad_option)(option, "a function's name is missing\n");
}

void hs_custom_start(void) {
    XArray *lists[2] = {hs_options.alloc_functions, hs_options.free_functions};
    UInt total = 0;
    for (UInt k = 0; k < 2; k++)
        total += lists[k] ? VG_(sizeXA)(lists[k]) : 0;
    functions = VG_(calloc)("hs.functions", total + 1, sizeof *functions);
    for (UInt k = 0; k < 2; k++)
        for (Word i = 0; lists[k] && i < VG_(sizeXA)(lists[k]); i++)
            parse(k ? "--free-fn" : "--alloc-fn", *(const HChar **)VG_(indexXA)(lists[k], i), k);
}

static ULong argument(const VexGuestAMD64State *guest, UInt number) {
    const ULong values[6] = {guest->guest_RDI, guest->guest_RSI, guest->guest_RDX,
                             guest->guest_RCX, guest->guest_R8,  guest->guest_R9};
    return values[number - 1];
}

static void freed(Addr address) {
    if (address == 0)
        return;
    forget_block(address);
    hs_record(HSW_FREE_BLOCK, address, (ULong)HSW_CUSTOM << 56);
}

static void add_note(ThreadId tid, Addr sp, SizeT size) {
    UInt keep = 0;
    for (UInt i = 0; i < n_notes; i++) /* whoever had this place on the stack has left it */
        if (notes[i].tid != tid || notes[i].sp != sp)
            notes[keep++] = notes[i];
    n_notes = keep;
    if (n_notes == MAX_NOTES) {
        n_notes /= 2;
        VG_(memmove)(notes, notes + MAX_NOTES - n_notes, n_notes * sizeof *notes);
    }
    notes[n_notes++] = (struct note){tid, sp, size};
}

/* A function of ours is entered. Answers 1 if its return address must be translated anew first. */
static ULong entered(const VexGuestAMD64State *guest, ULong number) {
    const struct function *f = &functions[number];
    Addr sp = guest->guest_RSP;
    SizeT size = argument(guest, f->size);
    if (f->frees) {
        freed(size);
        return 0;
    }
    if (hs_addresses_add(&return_addresses, *(Addr *)sp))
        return 1;
    if (f->count)
        size *= argument(guest, f->count);
    add_note(VG_(get_running_tid)(), sp, size);
    return 0;
}

static void allocated(Addr address, SizeT size) {
    if (address == 0)
        return;
    if (!hs_live_find(address)) /* else a wrapper's block, which malloc has entered already */
        keep_block(address, size);
    hs_pages_on(address, size);
    hs_record(HSW_ALLOC, address, size | (ULong)HSW_CUSTOM << 56);
}

/* Control is at a return address: whose? */
static void returned(const VexGuestAMD64State *guest) {
    ThreadId tid = VG_(get_running_tid)();
    for (UInt i = n_notes; i-- > 0;)
        if (notes[i].tid == tid && notes[i].sp + 8 == guest->guest_RSP) {
            SizeT size = notes[i].size;
            notes[i] = notes[--n_notes];
            allocated(guest->guest_RAX, size);
            return;
        }
}

static void reads_state(IRDirty *call, Int offset) {
    Int i = call->nFxState++;
    VG_(memset)(&call->fxState[i], 0, sizeof call->fxState[i]);
    call->fxState[i].fx = Ifx_Read;
    call->fxState[i].offset = offset;
    call->fxState[i].size = 8;
}

static void insert_entry(struct hs_block_state *b, UInt number) {
    static const Int offsets[7] = {HS_OFFSET_RDI,
                                   HS_OFFSET_RSI,
                                   HS_OFFSET_RDX,
                                   HS_OFFSET_RCX,
                                   HS_OFFSET_RSP,
                                   offsetof(VexGuestAMD64State, guest_R8),
                                   offsetof(VexGuestAMD64State, guest_R9)};
    IRTemp answer = newIRTemp(b->out->tyenv, Ity_I64);
    IRExpr *again;
    IRDirty *call =
        unsafeIRDirty_1_N(answer, 0, "hs_custom_entered", VG_(fnptr_to_fnentry)(entered),
                          mkIRExprVec_2(IRExpr_GSPTR(), hs_const(number)));
    for (UInt i = 0; i < 7; i++)
        reads_state(call, offsets[i]);
    hs_call_helper(b, call);
    again = hs_temp(b, Ity_I1, IRExpr_Binop(Iop_CmpNE64, IRExpr_RdTmp(answer), hs_const(0)));
    hs_stmt(b, IRStmt_Put(offsetof(VexGuestAMD64State, guest_CMSTART),
                          hs_load64(b, hs_get(b, HS_OFFSET_RSP))));
    hs_stmt(b, IRStmt_Put(offsetof(VexGuestAMD64State, guest_CMLEN), hs_const(1)));
    hs_stmt(b, IRStmt_Exit(again, Ijk_InvalICache, IRConst_U64(b->instruction), HS_OFFSET_RIP));
}

static void insert_return(struct hs_block_state *b) {
    IRDirty *call = unsafeIRDirty_0_N(0, "hs_custom_returned", VG_(fnptr_to_fnentry)(returned),
                                      mkIRExprVec_1(IRExpr_GSPTR()));
    reads_state(call, HS_OFFSET_RAX);
    reads_state(call, HS_OFFSET_RSP);
    hs_call_helper(b, call);
}

static Int function_at(Addr code) {
    const HChar *name;
    if (!n_functions || !VG_(get_fnname_if_entry)(VG_(current_DiEpoch)(), code, &name))
        return -1;
    for (UInt i = 0; i < n_functions; i++)
        if (hs_same_function(functions[i].name, name))
            return i;
    return -1;
}

Bool hs_custom_starts(Addr code) {
    return n_functions && (hs_addresses_have(&return_addresses, code) || function_at(code) >= 0);
}

void hs_instrument_custom(struct hs_block_state *b) {
    Int number = function_at(b->instruction);
    if (hs_addresses_have(&return_addresses, b->instruction))
        insert_return(b);
    if (number >= 0)
        insert_entry(b, number);
}
