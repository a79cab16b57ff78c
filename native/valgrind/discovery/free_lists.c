/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Mode portable with --allocator=free-lists: allocators that compilers inlined into their callers,
 * so that there is no function to leave out. What is left to see is what they do to their free
 * lists, whose links are the first words of the free blocks:
 *
 *     pop    block = head; next = *block; head = next     a node begins at block
 *     push   *block = head; head = block                  the node at block ends
 *     begin  head = block; *block = NULL                  a pool: its first block is given out at
 *                                                         once, the list begins with the second
 *
 * Code that may do so is recognised in the superblock (next is loaded, or block's first word
 * stored, right before head is); that it does is asked when it runs: head must have been block, or
 * what was stored in it. A list of the program's own that is used as a stack looks the same; blocks
 * of known allocators are therefore left alone. A list begins only behind a node that holds its
 * head; what lies between is the first block. Not seen: lists whose link is not the first word,
 * lists changed by atomic instructions, and other blocks that never were on a list.
 */
#include "discovery/nodes.h"
#include "walk/ir.h"

#define MAX_LINKS 8
#define MIN_BLOCK 16 /* sizes of blocks that a pool begins with are multiples of it */
#define MAX_BLOCK 4096

enum link_kind { POP, PUSH, BEGIN };
struct link {
    Int statement;  /* the store to the head; BEGIN: to the block */
    Int access;     /* of the block's first word, if it surely is for the list; else -1 */
    IRExpr *head;   /* its address */
    IRExpr *before; /* what it held, if this is for a list */
    IRExpr *block;
    IRExpr *guard; /* it was */
    enum link_kind kind;
};
struct hs_links {
    UInt n;
    struct link link[MAX_LINKS];
};

/* ---- recognising ---- */

/* The address a value was loaded from, NULL if it was not. */
static IRExpr *loaded_from(const struct hs_block_state *b, const IRExpr *value) {
    const IRExpr *d = value->tag == Iex_RdTmp ? b->definition[value->Iex.RdTmp.tmp] : NULL;
    return d && d->tag == Iex_Load && d->Iex.Load.ty == Ity_I64 ? d->Iex.Load.addr : NULL;
}

static const IRStmt *word_store(const struct hs_block_state *b, const IRSB *in, Int i) {
    const IRStmt *s = in->stmts[i];
    return s->tag == Ist_Store && typeOfIRExpr(in->tyenv, s->Ist.Store.data) == Ity_I64 ? s : NULL;
}

static Int place_of(const IRSB *in, const IRExpr *temp) {
    for (Int i = 0; i < in->stmts_used; i++)
        if (in->stmts[i]->tag == Ist_WrTmp && in->stmts[i]->Ist.WrTmp.tmp == temp->Iex.RdTmp.tmp)
            return i;
    return -1;
}

static void add_link(struct hs_block_state *b, struct link link) {
    if (!b->links)
        b->links = VG_(calloc)("hs.links", 1, sizeof *b->links);
    if (b->links->n < MAX_LINKS)
        b->links->link[b->links->n++] = link;
}

static Bool was_loaded_from(const struct hs_block_state *b, const IRExpr *value,
                            const IRExpr *address) {
    const IRExpr *from = loaded_from(b, value);
    return from && hs_is_same(b, from, address);
}

static void find_pop(struct hs_block_state *b, const IRSB *in, Int i, const IRStmt *head) {
    IRExpr *block = loaded_from(b, head->Ist.Store.data);
    Bool sure = block && was_loaded_from(b, block, head->Ist.Store.addr);
    if (block && block->tag == Iex_RdTmp && !b->is_stack[block->Iex.RdTmp.tmp])
        add_link(b, (struct link){i, sure ? place_of(in, head->Ist.Store.data) : -1,
                                  head->Ist.Store.addr, block, block, NULL, POP});
}

static void find_push(struct hs_block_state *b, const IRSB *in, Int i, const IRStmt *head) {
    for (Int k = 0; k < i; k++) {
        const IRStmt *s = word_store(b, in, k);
        if (s && hs_is_same(b, s->Ist.Store.addr, head->Ist.Store.data)) {
            Bool sure = was_loaded_from(b, s->Ist.Store.data, head->Ist.Store.addr);
            add_link(b, (struct link){i, sure ? k : -1, head->Ist.Store.addr, s->Ist.Store.data,
                                      head->Ist.Store.data, NULL, PUSH});
            return;
        }
    }
}

static Bool is_zero(const IRExpr *e) {
    return e->tag == Iex_Const && e->Iex.Const.con->tag == Ico_U64 &&
           e->Iex.Const.con->Ico.U64 == 0;
}

static void find_begin(struct hs_block_state *b, const IRSB *in, Int i, const IRStmt *head) {
    for (Int k = i + 1; k < in->stmts_used && in->stmts[k]->tag != Ist_Exit; k++) {
        const IRStmt *s = word_store(b, in, k);
        if (s && is_zero(s->Ist.Store.data) &&
            hs_is_same(b, s->Ist.Store.addr, head->Ist.Store.data)) {
            add_link(b, (struct link){k, k, head->Ist.Store.addr, head->Ist.Store.data,
                                      head->Ist.Store.data, NULL, BEGIN});
            return;
        }
    }
}

void hs_find_free_lists(struct hs_block_state *b, const IRSB *in) {
    for (Int i = 0; hs_free_lists && hs_mode == HSW_PORTABLE && i < in->stmts_used; i++) {
        const IRStmt *head = word_store(b, in, i);
        if (!head || head->Ist.Store.data->tag != Iex_RdTmp)
            continue;
        find_pop(b, in, i, head);
        find_push(b, in, i, head);
        find_begin(b, in, i, head);
    }
}

Bool hs_is_link(const struct hs_block_state *b, Int statement) {
    for (UInt i = 0; b->links && i < b->links->n; i++)
        if (b->links->link[i].access == statement)
            return True;
    return False;
}

/* ---- what runs ---- */

static Bool counts(Addr block, UInt node) {
    return hs_is_heap(block) && !hs_leaving_out() && !(node && (hs_node(node)->flags & HS_KNOWN));
}

/* What lies inside a block that is in use is on another list. A block may have grown by the link
 * of the next one, when the allocator put that there. */
static Bool is_inside(Addr block, UInt node) {
    return node && (hs_node(node)->flags & HS_LISTED) && hs_node(node)->start != block &&
           hs_extent_end(hs_node(node)) > block + 8;
}

static void popped(Addr block, struct hs_access *access) {
    UInt node = hs_node_at(block);
    if (counts(block, node) && !is_inside(block, node))
        hs_block_begins(block, HSW_NODE_RETURNED, hs_access_site(access), HS_LISTED);
}

static void pushed(Addr block, struct hs_access *access) {
    UInt node = hs_node_at(block);
    if (node && counts(block, node) && hs_node(node)->start == block)
        hs_node_ends(node, HSW_END_FREED, hs_access_site(access));
}

/* Otherwise it is an access like any other, by what holds the head. */
static void begun(Addr head, Addr block, struct hs_access *access) {
    UInt pool = hs_node_at(head);
    Addr first = pool ? hs_extent_end(hs_node(pool)) : 0;
    if (counts(block, pool) && pool && (hs_owner[block >> 3] & HS_NOBODY) &&
        hs_node_below(block) == pool && first > head && first % MIN_BLOCK == 0 &&
        (block - first) % MIN_BLOCK == 0 && block - first <= MAX_BLOCK)
        hs_block_begins(first, HSW_NODE_RETURNED, hs_access_site(access), HS_LISTED);
    else
        hs_learn_access(head, block, 8, access);
}

void hs_prepare_links(struct hs_block_state *b, Int statement) {
    for (UInt i = 0; b->links && i < b->links->n; i++) {
        struct link *link = &b->links->link[i];
        if (link->statement == statement)
            link->guard = hs_temp(
                b, Ity_I1, IRExpr_Binop(Iop_CmpEQ64, hs_load64(b, link->head), link->before));
    }
}

void hs_instrument_links(struct hs_block_state *b, Int statement) {
    for (UInt i = 0; b->links && i < b->links->n; i++) {
        const struct link *link = &b->links->link[i];
        struct hs_access *access;
        if (link->statement != statement)
            continue;
        access = hs_new_store(b->instruction, 8, b->own);
        if (link->kind == BEGIN)
            hs_call_if(b, link->guard, "hs_begun", begun,
                       mkIRExprVec_3(link->head, link->block, hs_const((ULong)access)));
        else
            hs_call_if(b, link->guard, link->kind == PUSH ? "hs_pushed" : "hs_popped",
                       link->kind == PUSH ? pushed : popped,
                       mkIRExprVec_2(link->block, hs_const((ULong)access)));
    }
}
