/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The nodes of the modes portable and internals: begin, grow, shrink, end, with the maps kept right
 * and the records sent. What is done when, is decided in inference.c, clusters.c and left_out.c.
 *
 * A node that was given up stays known by the words that name it, so that a stale access can be
 * told; its number is free again when the last of them got another owner.
 */
#include "discovery/nodes.h"

#include "shared/ranges.h"

#define MAX_NODES HS_NODE_BITS
#define PIECE (1ul << 20)

static struct hs_node *nodes;
static UInt n_nodes = 1, n_room; /* number 0 is nobody */
static UInt *free_numbers;
static UInt n_free, free_room;
static UInt last_id;

struct hs_node *hs_node(UInt number) {
    return &nodes[number];
}

static void *grown(void *old, UInt *room, SizeT size) {
    *room = *room ? 2 * *room : 1024;
    return VG_(realloc)("hs.nodes", old, *room * size);
}

static UInt new_number(void) {
    if (n_free)
        return free_numbers[--n_free];
    if (n_nodes >= n_room)
        nodes = grown(nodes, &n_room, sizeof *nodes);
    tl_assert(n_nodes < MAX_NODES);
    return n_nodes++;
}

static void release_number(UInt number) {
    nodes[number].id = 0;
    if (n_free == free_room)
        free_numbers = grown(free_numbers, &free_room, sizeof *free_numbers);
    free_numbers[n_free++] = number;
}

/* ---- the maps ---- */

static void word_leaves(UInt owner) {
    struct hs_node *node;
    if (!(owner & HS_NODE_BITS))
        return;
    if (hs_mode == HSW_INTERNALS) {
        hs_cluster_words(owner, -1);
        return;
    }
    node = &nodes[owner & HS_NODE_BITS];
    if (--node->left == 0 && (node->flags & HS_ENDED))
        release_number(owner & HS_NODE_BITS);
}

/* Words [from, to) and the HS_REACH before them get their reach anew, for the run of `owner`. */
static void set_reach(UInt owner, Addr from, Addr to) {
    UInt run = hs_owner[to] == owner ? HS_REACH - hs_reach[to] : 0;
    Addr lowest = from > HS_REACH ? from - HS_REACH : 0;
    for (Addr w = to; w-- > from;) {
        run += run < HS_REACH;
        hs_reach[w] = HS_REACH - run;
    }
    for (Addr w = from; w-- > lowest && hs_owner[w] == owner;) {
        run += run < HS_REACH;
        hs_reach[w] = HS_REACH - run;
    }
}

/* Where nodes ever were, by piece of memory: most of a large range is empty. */
static UChar inhabited[(1ul << HS_HEAP_BITS) / PIECE];

void hs_own_words(UInt owner, Addr start, Addr end) {
    Addr from = start >> 3, to = (end + 7) >> 3;
    UInt cut;
    for (Addr piece = start / PIECE; piece <= (end - 1) / PIECE; piece++)
        inhabited[piece] = 1;
    cut = hs_owner[from];
    for (Addr w = from; w < to; w++) {
        word_leaves(hs_owner[w]);
        hs_owner[w] = owner;
    }
    if (cut && !(cut & HS_NOBODY) && cut != owner && from > 0 && hs_owner[from - 1] == cut)
        set_reach(cut, from, from); /* its run ends here now */
    if (hs_mode == HSW_INTERNALS)
        hs_cluster_words(owner, to - from);
    else
        nodes[owner].left += to - from;
    set_reach(owner, from, to);
}

/* Nobody's, or given up by the node `owner` names. The run before them ends there. */
static void disown_words(Addr start, Addr end, UInt owner) {
    Addr from = start >> 3, to = (end + 7) >> 3;
    for (Addr w = from; w < to; w++) {
        if (owner == HS_NOBODY)
            word_leaves(hs_owner[w]);
        hs_owner[w] = owner;
        hs_reach[w] = HS_REACH;
    }
    hs_fields_forgotten(from, to);
    if (from > 0 && !(hs_owner[from - 1] & HS_NOBODY) && hs_owner[from - 1])
        set_reach(hs_owner[from - 1], from, from);
}

UInt hs_node_at(Addr address) {
    UInt owner = address >> HS_HEAP_BITS ? 0 : hs_owner[address >> 3];
    if (owner & HS_NOBODY)
        return 0;
    return owner && hs_mode == HSW_INTERNALS ? hs_member_at(owner, address) : owner;
}

/* ---- records ---- */

void hs_send_extent(UInt number) {
    struct hs_node *node = &nodes[number];
    UInt words = node->flags & HS_EMPTY ? 0 : node->words;
    ULong value = node->id | (ULong)words << 32;
    if (!hs_sending)
        return;
    if (node->segment == hs_segment()) {
        hs_amend((ULong)hs_ring + 16ull * node->joined, hs_extent_start(node), value);
        return;
    }
    hs_make_room();
    node->segment = hs_segment();
    node->joined = (hs_ring->cursor - (ULong)hs_ring) / 16;
    hs_record(HSW_JOIN, hs_extent_start(node), value);
}

static void send_birth(UInt number, UInt how, UInt site) {
    const struct hs_node *node = &nodes[number];
    hs_record(HSW_NODE, node->start, node->id | (ULong)site << 32 | (ULong)how << 56);
    hs_send_extent(number);
}

/* ---- lives ---- */

UInt hs_node_begins(Addr start, UInt how, UInt site, UShort flags) {
    UInt number = new_number();
    nodes[number] = (struct hs_node){.start = start, .id = ++last_id, .flags = flags};
    nodes[number].segment = ~0u;
    send_birth(number, how, site);
    if (hs_heads)
        hs_heads[start >> 3] = 0;
    return number;
}

void hs_node_ends(UInt number, UInt why, UInt site) {
    struct hs_node *node = &nodes[number];
    hs_record(HSW_NODE_END, site, node->id | (ULong)why << 32);
    node->flags |= HS_ENDED;
    node->ended = last_id;
    if (hs_mode == HSW_INTERNALS) {
        hs_leave_cluster(number);
        disown_words(hs_extent_start(node), hs_extent_end(node), HS_NOBODY);
        release_number(number);
    } else if (node->left == 0)
        release_number(number);
    else if ((node->flags & HS_KNOWN) && (why == HSW_END_FREED || why == HSW_END_REALLOCATED))
        disown_words(hs_extent_start(node), hs_extent_end(node), HS_GIVEN_UP | number);
    else
        disown_words(hs_extent_start(node), hs_extent_end(node), HS_NOBODY);
}

void hs_node_grows(UInt number, Addr end) {
    struct hs_node *node = &nodes[number];
    Addr old = hs_extent_end(node);
    UInt owner = node->words ? hs_owner[hs_extent_start(node) >> 3] : number;
    if (end <= old)
        return;
    if (!node->words && hs_mode == HSW_INTERNALS)
        owner = hs_new_cluster(number);
    node->words = ((end + 7) >> 3) - (hs_extent_start(node) >> 3);
    hs_own_words(owner, old, end);
    hs_send_extent(number);
}

void hs_node_shrinks(UInt number, Addr end) {
    struct hs_node *node = &nodes[number];
    Addr old = hs_extent_end(node);
    node->words = (end >> 3) - (hs_extent_start(node) >> 3);
    disown_words(end, old, HS_NOBODY);
    hs_send_extent(number);
}

/* The memory goes away: nodes that begin in it end, others lose their tail. */
void hs_nodes_unmapped(Addr start, Addr end) {
    for (Addr at = start; at < end; at += 8) {
        UInt owner, number;
        if (!inhabited[at / PIECE]) {
            at = (at | (PIECE - 1)) - 7;
            continue;
        }
        owner = hs_owner[at >> 3];
        if (!(owner & HS_NODE_BITS))
            continue;
        if (owner & HS_NOBODY) {
            disown_words(at, at + 8, HS_NOBODY);
            continue;
        }
        number = hs_node_at(at);
        if (nodes[number].start >= start) {
            Addr stop = hs_extent_end(&nodes[number]);
            hs_node_ends(number, HSW_END_UNMAPPED, 0);
            at = stop - 8;
        } else
            hs_node_shrinks(number, at);
    }
}

/* ---- a snapshot ---- */

static Int by_id(const void *a, const void *b) {
    UInt left = nodes[*(const UInt *)a].id, right = nodes[*(const UInt *)b].id;
    return left < right ? -1 : left > right;
}

void hs_send_nodes(void) {
    XArray *alive = VG_(newXA)(VG_(malloc), "hs.alive", VG_(free), sizeof(UInt));
    for (UInt i = 1; i < n_nodes; i++)
        if (nodes[i].id && !(nodes[i].flags & HS_ENDED))
            VG_(addToXA)(alive, &i);
    VG_(setCmpFnXA)(alive, by_id);
    VG_(sortXA)(alive);
    last_id = 0;
    hs_record(HSW_MODE, hs_mode, 0);
    for (Word i = 0; i < VG_(sizeXA)(alive); i++) {
        UInt number = *(UInt *)VG_(indexXA)(alive, i);
        struct hs_node *node = &nodes[number];
        node->id = ++last_id;
        node->segment = ~0u;
        send_birth(number, HSW_NODE_SEEN, 0);
        hs_send_range(hs_extent_start(node), 8 * (SizeT)node->words, HSW_RANGE_INITIAL, 0);
    }
    VG_(deleteXA)(alive);
}
