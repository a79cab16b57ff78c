/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Algorithm 2, run when a check in generated code failed: an access at `address`, computed from the
 * pointer `base`, lies in memory whose owner is not yet known or another. The rules are those of
 * docs/internals/portable.md.
 */
#include "discovery/nodes.h"

#include "shared/level.h"
#include "shared/sites.h"

#define FAR (1ul << 20)
#define HEADER 32 /* bytes before a block that may be its header */

struct hs_access *hs_new_store(Addr instruction, UInt size, Bool own) {
    struct hs_access *access = VG_(calloc)("hs.store", 1, sizeof *access);
    access->instruction = instruction;
    access->size = size;
    access->store = True;
    access->own = own;
    return access;
}

UInt hs_access_site(struct hs_access *access) {
    if (!access->site)
        access->site = hs_new_site(access->instruction, access->size > 8 ? 8 : access->size,
                                   access->store ? HSW_SITE_STORE : HSW_SITE_LOAD, access->own);
    return access->site;
}

/* ---- who owns what ---- */

static UInt owner_of(Addr address) {
    return address >> HS_HEAP_BITS ? 0 : hs_owner[address >> 3];
}

static Bool is_node(UInt owner) {
    return owner && !(owner & HS_NOBODY);
}

/* The node that begins nearest below a word without owner, 0 if there is none. It does not reach
 * over the border of a mapping, unless the pointer `base` comes from below that. A node older than
 * the end of one in between cannot reach over that one: then the word belongs, if to any, to the
 * one given up, `*stale`. */
static UInt node_below(Addr base, Addr address, UInt *stale) {
    UInt latest = 0, node;
    Addr w = address >> 3;
    *stale = 0;
    for (; hs_owner[w] & HS_NOBODY; w--) {
        UInt number = hs_owner[w] & HS_NODE_BITS;
        if (number && !*stale)
            *stale = number;
        if (number && hs_node(number)->ended > latest)
            latest = hs_node(number)->ended;
        if (hs_reach[w] == HS_BORDER && w <= base >> 3)
            return 0;
    }
    node = hs_node_at(w << 3);
    return node && hs_node(node)->id > latest ? node : 0;
}

UInt hs_node_below(Addr address) {
    UInt stale;
    return node_below(address, address, &stale);
}

/* ---- where it is learnt ---- */

struct source {
    struct hs_access *access; /* or */
    UInt site;
    UInt suspicion; /* kind */
    SizeT size;
    Bool store;
};

static UInt site_of(const struct source *source) {
    return source->access ? hs_access_site(source->access) : source->site;
}

/* ---- crossing from one node into another ---- */

/* An older node above, of an allocator whose frees are not known: its place was given up unseen,
 * and belongs to the one that grows. */
static Bool is_given_over(const struct hs_node *from, const struct hs_node *to) {
    return to->id < from->id && to->start > from->start && !(to->flags & (HS_KNOWN | HS_ENDED));
}

/* Whether there is more evidence for that than the access, which may be an overflow. */
static Bool was_given_up(const struct hs_node *from, const struct hs_node *to) {
    return (to->flags & HS_PASSED) || (from->flags & HS_REUSED);
}

static Bool touch(UInt from, UInt to) {
    return hs_extent_end(hs_node(from)) == hs_extent_start(hs_node(to));
}

/* What is added to the base may be the distance to another array: compilers do so in loops over
 * two. An overflow leaves no gap. */
static Bool is_distance(UInt from, UInt to, const struct source *source) {
    return source->access && source->access->summed && !touch(from, to);
}

/* A constant distance counts from the start of a block: Perl, for one, points to where a block
 * would begin if it had all members of its type, which is in the block before. */
static Bool is_certain(UInt from, Addr base, UInt to, const struct source *source) {
    Bool known = hs_node(from)->flags & hs_node(to)->flags & HS_KNOWN;
    if (!known || hs_node(to)->start <= hs_node(from)->start)
        return False;
    if (!source->access)
        return True;
    return source->access->indexed ? touch(from, to) : base == hs_node(from)->start;
}

/* The pointer may be one to before the block that it means: a loop that goes through an array from
 * its end leaves one behind, and Perl keeps such. */
static Bool is_before(UInt from, Addr base, UInt to, const struct source *source) {
    return source->access && !source->access->indexed && base != hs_node(from)->start &&
           hs_node(to)->start > base;
}

static void crosses(UInt from, Addr base, UInt to, Addr address, const struct source *source) {
    UInt kind = source->suspicion;
    Bool given_over;
    if (hs_mode == HSW_INTERNALS) {
        /* Allocators look at their neighbours' headers all the time, and reach a block from its
         * own header; what makes one chunk of two writes from the first into the second. */
        if (source->store && address > base && hs_node(to)->start - base > HEADER)
            hs_merge(from, to, site_of(source));
        return;
    }
    if ((hs_node(to)->flags & HS_LISTED) && !(hs_node(from)->flags & HS_LISTED))
        return; /* a pool's header leads to its blocks */
    if ((address - base > FAR && base - address > FAR) || is_distance(from, to, source) ||
        is_before(from, base, to, source)) {
        hs_count(HSW_COUNTED_FAR);
        return;
    }
    if (!is_certain(from, base, to, source))
        kind |= HSW_POSSIBLE;
    given_over = is_given_over(hs_node(from), hs_node(to));
    if (!given_over || !was_given_up(hs_node(from), hs_node(to)))
        hs_suspicious(kind, from, base, to, address, source->size, site_of(source));
    if (given_over) {
        hs_node_ends(to, HSW_END_REUSED, 0);
        hs_node(from)->flags |= HS_REUSED;
        hs_node_reaches(from, address + source->size);
    }
}

/* ---- an access ---- */

static void is_stale(UInt node, Addr base, Addr address, const struct source *source) {
    hs_suspicious(HSW_SUSPICION_STALE, node, base, node, address, source->size, site_of(source));
}

/* The words up to the address are nobody's; of those that the access covers beyond it, only as many
 * as nobody else owns. */
static void grow_over(UInt node, Addr address, Addr end) {
    hs_node_grows(node, address + 1);
    hs_node_reaches(node, end);
}

/* To a word that nobody owns, by a pointer that somebody owns. */
static void reaches_out(UInt from, Addr base, Addr address, Addr end, const struct source *source) {
    UInt stale, node = node_below(base, address, &stale);
    if (node == from)
        grow_over(from, address, end);
    else if (hs_mode == HSW_PORTABLE && (node || stale))
        crosses(from, base, node ? node : stale, address, source);
}

/* Behind the last block of a free list's pool the next pool begins, on a page of its own, and is
 * reached by its start. An object may begin there too, behind a header of its block. */
static Bool is_next_pool(UInt node, Addr base) {
    return (hs_node(node)->flags & HS_LISTED) && VG_IS_PAGE_ALIGNED(base) &&
           base >= hs_extent_end(hs_node(node)) && base - hs_node(node)->start > HEADER;
}

/* Whether all words from one address up to the other are nobody's. */
static Bool is_run(Addr from, Addr to) {
    Addr w = to >> 3;
    while (w > from >> 3 && (hs_owner[w] & HS_NOBODY))
        w--;
    return from <= to && (hs_owner[w] & HS_NOBODY);
}

/* To a word that nobody owns, by a pointer into such words: it stepped there, or was never seen. */
static void appears(Addr base, Addr address, Addr end, const struct source *source) {
    UInt stale, node = node_below(base, address, &stale);
    UInt given_up = owner_of(base) & HS_NODE_BITS;
    if (node && is_next_pool(node, base))
        node = 0;
    if (node)
        grow_over(node, address, end);
    else if (given_up)
        is_stale(given_up, base, address, source);
    else if (!stale) {
        Addr start = is_run(base, address) ? base : address;
        grow_over(hs_node_begins(start, HSW_NODE_SEEN, site_of(source), 0), address, end);
    }
}

static void learn(Addr base, Addr address, Addr end, const struct source *source) {
    UInt owner = owner_of(address), from = owner_of(base);
    if (!owner) {
        if (address >> HS_HEAP_BITS)
            hs_count(HSW_COUNTED_HIGH);
        return;
    }
    if (!from) {
        base = address;
        from = owner;
    }
    if (owner & HS_NOBODY) {
        if (is_node(from))
            reaches_out(hs_node_at(base), base, address, end, source);
        else
            appears(base, address, end, source);
    } else if (is_node(from) && from != owner)
        crosses(hs_node_at(base), base, hs_node_at(address), address, source);
    else if (hs_mode == HSW_INTERNALS)
        hs_touched(address);
}

void hs_learn_access(Addr base, Addr address, SizeT size, struct hs_access *access) {
    struct source source = {access, 0, HSW_SUSPICION_OFFSET, size, access->store};
    Addr last = address + size - 1;
    if (hs_leaving_out())
        return;
    if (size == 8 && (!access->indexed || access->constant) && (owner_of(address) & HS_NOBODY))
        hs_field_found(address);
    learn(base, address, address + size, &source);
    if (address >> 3 != last >> 3 && owner_of(last) != owner_of(address))
        learn(owner_of(base) ? base : address, last & ~(Addr)7, address + size, &source);
}

/* ---- ranged operations ---- */

/* Grows up to `end`, or to the first word that another node owns, or had after this one began. */
void hs_node_reaches(UInt number, Addr end) {
    Addr at = hs_extent_end(hs_node(number));
    while (at < end) {
        UInt owner = owner_of(at), old = owner & HS_NODE_BITS;
        if (!(owner & HS_NOBODY) || (old && hs_node(old)->ended >= hs_node(number)->id))
            break;
        at += 8;
    }
    hs_node_grows(number, at);
}

/* Every byte is base + offset: the node of the first byte grows as far as nobody else is met. */
static void learn_range(Addr start, SizeT length, UInt site, Bool store) {
    struct source source = {NULL, site, HSW_SUSPICION_RANGE, length, store};
    Addr end = start + length, at = start & ~(Addr)7;
    if (!hs_is_heap(start) || !length)
        return;
    if (owner_of(start) & HS_NOBODY)
        learn(start, start, start + 1, &source);
    while (at < end && is_node(owner_of(start))) {
        UInt wanted = owner_of(start), owner = owner_of(at);
        Addr before = at;
        if (owner == wanted)
            at += 8 * (Addr)(HS_REACH - hs_reach[at >> 3]);
        else if (owner) {
            if (owner & HS_NOBODY)
                hs_node_reaches(hs_node_at(at - 8), end);
            if (owner_of(at) != wanted)
                learn(start, at, at + 1, &source);
        }
        if (at == before && owner_of(at) != wanted)
            return;
        if (at == before && hs_reach[at >> 3] == HS_REACH)
            hs_touched(at);
    }
}

Bool hs_ranged_access(Addr start, SizeT length, UInt kind, UChar byte, ULong site) {
    if (hs_leaving_out()) {
        hs_hold_back(start, length, kind, byte, site);
        return False;
    }
    hs_copied_over_fields(start);
    learn_range(start, length, site, True);
    return True;
}

void hs_ranged_write(Addr start, SizeT length, ULong site) {
    if (hs_recording() && !hs_leaving_out())
        learn_range(start, length, site, True);
}

void hs_ranged_read(Addr start, SizeT length, ULong site) {
    if (hs_recording() && !hs_leaving_out())
        learn_range(start, length, site, False);
}
