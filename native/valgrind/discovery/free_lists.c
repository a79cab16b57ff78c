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
#include "discovery/discovery.h"
#include "discovery/pass.h"

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
static struct link links[MAX_LINKS];
static UInt n_links;

/* ---- recognising ---- */

/* The address a value was loaded from, NULL if it was not. */
static IRExpr *loaded_from(const IRExpr *value) {
    const IRExpr *d = hs_definition(value);
    return d && d->tag == Iex_Load && d->Iex.Load.ty == Ity_I64 ? d->Iex.Load.addr : NULL;
}

static const IRStmt *word_store(const IRSB *in, Int i) {
    const IRStmt *s = in->stmts[i];
    return s->tag == Ist_Store && typeOfIRExpr(in->tyenv, s->Ist.Store.data) == Ity_I64 ? s : NULL;
}

static Int place_of(const IRSB *in, const IRExpr *temp) {
    for (Int i = 0; i < in->stmts_used; i++)
        if (in->stmts[i]->tag == Ist_WrTmp && in->stmts[i]->Ist.WrTmp.tmp == temp->Iex.RdTmp.tmp)
            return i;
    return -1;
}

static void add_link(struct link link) {
    if (n_links < MAX_LINKS)
        links[n_links++] = link;
}

static Bool was_loaded_from(const IRExpr *value, const IRExpr *address) {
    const IRExpr *from = loaded_from(value);
    return from && hs_is_same(from, address);
}

static void find_pop(struct hs_superblock *b, Int i, const IRStmt *head) {
    IRExpr *block = loaded_from(head->Ist.Store.data);
    Bool sure = block && was_loaded_from(block, head->Ist.Store.addr);
    if (block && block->tag == Iex_RdTmp && !hs_on_stack(b, block))
        add_link((struct link){i, sure ? place_of(b->in, head->Ist.Store.data) : -1,
                               head->Ist.Store.addr, block, block, NULL, POP});
}

static void find_push(const IRSB *in, Int i, const IRStmt *head) {
    for (Int k = 0; k < i; k++) {
        const IRStmt *s = word_store(in, k);
        if (s && hs_is_same(s->Ist.Store.addr, head->Ist.Store.data)) {
            Bool sure = was_loaded_from(s->Ist.Store.data, head->Ist.Store.addr);
            add_link((struct link){i, sure ? k : -1, head->Ist.Store.addr, s->Ist.Store.data,
                                   head->Ist.Store.data, NULL, PUSH});
            return;
        }
    }
}

static Bool is_zero(const IRExpr *e) {
    return e->tag == Iex_Const && e->Iex.Const.con->tag == Ico_U64 &&
           e->Iex.Const.con->Ico.U64 == 0;
}

static void find_begin(const IRSB *in, Int i, const IRStmt *head) {
    for (Int k = i + 1; k < in->stmts_used && in->stmts[k]->tag != Ist_Exit; k++) {
        const IRStmt *s = word_store(in, k);
        if (s && is_zero(s->Ist.Store.data) &&
            hs_is_same(s->Ist.Store.addr, head->Ist.Store.data)) {
            add_link((struct link){k, k, head->Ist.Store.addr, head->Ist.Store.data,
                                   head->Ist.Store.data, NULL, BEGIN});
            return;
        }
    }
}

void hs_find_free_lists(struct hs_superblock *b) {
    const IRSB *in = b->in;
    for (Int i = 0; hs_free_lists && hs_mode == HSW_PORTABLE && i < in->stmts_used; i++) {
        const IRStmt *head = word_store(in, i);
        if (!head || head->Ist.Store.data->tag != Iex_RdTmp)
            continue;
        find_pop(b, i, head);
        find_push(in, i, head);
        find_begin(in, i, head);
    }
}

Bool hs_is_link(Int statement) {
    for (UInt i = 0; i < n_links; i++)
        if (links[i].access == statement)
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

/* ---- the pass ---- */

/* The links were found with everything else that discovery looks for. */
static Bool examine(struct hs_superblock *b) {
    return n_links > 0;
}

static void before_statement(struct hs_superblock *b, const IRStmt *s) {
    for (UInt i = 0; i < n_links; i++)
        if (links[i].statement == b->statement)
            links[i].guard = hs_test(b, Iop_CmpEQ64, hs_load64(b, links[i].head), links[i].before);
}

static void insert_link(struct hs_superblock *b, const struct link *link) {
    IRExpr *access = hs_const((ULong)hs_new_store(b->instruction, 8, b->own));
    if (link->kind == BEGIN)
        hs_call_if(b, link->guard, "hs_begun", begun,
                   mkIRExprVec_3(link->head, link->block, access));
    else
        hs_call_if(b, link->guard, link->kind == PUSH ? "hs_pushed" : "hs_popped",
                   link->kind == PUSH ? pushed : popped, mkIRExprVec_2(link->block, access));
}

static void after_statement(struct hs_superblock *b, const IRStmt *s) {
    for (UInt i = 0; i < n_links; i++)
        if (links[i].statement == b->statement)
            insert_link(b, &links[i]);
}

static void forget(void) {
    n_links = 0;
}

const struct hs_pass hs_free_list_pass = {.examine = examine,
                                          .before_statement = before_statement,
                                          .after_statement = after_statement,
                                          .forget = forget};
