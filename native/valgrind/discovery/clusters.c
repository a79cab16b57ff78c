/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Mode internals: Split_Node and Merge_Nodes. Here a node that is alone is a cluster of one; the
 * owner map names clusters by numbers of their own, so that the larger part of what is merged or
 * separated can keep its words as they are.
 */
#include "discovery/nodes.h"

#define MAX_MEMBERS 256

struct cluster {
    UInt n, room;
    UInt one;      /* the node, if it is alone */
    UInt *members; /* by start; NULL if there was never more than one */
    SizeT words;
};

static struct cluster *clusters;
static UInt n_clusters = 1, clusters_room;
static UInt *free_clusters;
static UInt n_free, free_room;

static UInt *members_of(UInt number) {
    struct cluster *cluster = &clusters[number];
    return cluster->members ? cluster->members : &cluster->one;
}

static UInt new_number(void) {
    if (n_free)
        return free_clusters[--n_free];
    if (n_clusters >= clusters_room) {
        clusters_room = clusters_room ? 2 * clusters_room : 1024;
        clusters = VG_(realloc)("hs.clusters", clusters, clusters_room * sizeof *clusters);
    }
    return n_clusters++;
}

static void release(UInt number) {
    VG_(free)(clusters[number].members);
    if (n_free == free_room) {
        free_room = free_room ? 2 * free_room : 1024;
        free_clusters = VG_(realloc)("hs.clusters", free_clusters, free_room * sizeof(UInt));
    }
    free_clusters[n_free++] = number;
}

UInt hs_new_cluster(UInt node) {
    UInt number = new_number();
    clusters[number] = (struct cluster){.n = 1, .one = node};
    return number;
}

void hs_cluster_words(UInt number, Word words) {
    clusters[number].words += words;
}

static UInt cluster_of(UInt node) {
    return hs_owner[hs_node(node)->start >> 3];
}

/* Place of the last member that begins at or below the address. */
static UInt place_of(UInt number, Addr address) {
    const UInt *members = members_of(number);
    UInt low = 0, high = clusters[number].n;
    while (high - low > 1) {
        UInt middle = (low + high) / 2;
        if (hs_extent_start(hs_node(members[middle])) <= address)
            low = middle;
        else
            high = middle;
    }
    return low;
}

UInt hs_member_at(UInt number, Addr address) {
    return members_of(number)[place_of(number, address)];
}

static void label_words(UInt node, UInt number) {
    hs_own_words(number, hs_extent_start(hs_node(node)), hs_extent_end(hs_node(node)));
}

/* Room for `more` members at place `at`. */
static UInt *open_gap(UInt number, UInt at, UInt more) {
    struct cluster *cluster = &clusters[number];
    if (!cluster->members || cluster->n + more > cluster->room) {
        UInt *old = cluster->members;
        cluster->room = 2 * (cluster->n + more);
        cluster->members = VG_(realloc)("hs.members", old, cluster->room * sizeof(UInt));
        if (!old)
            cluster->members[0] = cluster->one;
    }
    VG_(memmove)
    (cluster->members + at + more, cluster->members + at, (cluster->n - at) * sizeof(UInt));
    cluster->n += more;
    return cluster->members + at;
}

static void insert(UInt number, UInt node) {
    Addr start = hs_node(node)->start;
    Bool lowest = start < hs_node(members_of(number)[0])->start;
    *open_gap(number, lowest ? 0 : place_of(number, start) + 1, 1) = node;
}

/* Members [from, to) leave for a cluster of their own. */
static UInt take_out(UInt number, UInt from, UInt to) {
    UInt *members = members_of(number), other = hs_new_cluster(members[from]);
    for (UInt i = from + 1; i < to; i++)
        *open_gap(other, i - from, 1) = members_of(number)[i];
    members = members_of(number);
    VG_(memmove)(members + from, members + to, (clusters[number].n - to) * sizeof(UInt));
    clusters[number].n -= to - from;
    for (UInt i = 0; i < to - from; i++)
        label_words(members_of(other)[i], other);
    return other;
}

/* ---- Merge_Nodes ---- */

/* A node that began as a stored value has a word once something is there. */
static void is_used(UInt number) {
    if (!(hs_node(number)->flags & HS_EMPTY))
        return;
    hs_node(number)->flags &= ~HS_EMPTY;
    hs_send_extent(number);
}

void hs_merge(UInt base_node, UInt node, UInt site) {
    UInt large = cluster_of(base_node), small = cluster_of(node);
    Addr heads[2];
    is_used(node);
    if (clusters[large].n + clusters[small].n > MAX_MEMBERS) {
        hs_count(HSW_COUNTED_CROWDED);
        return;
    }
    heads[0] = hs_node(members_of(large)[0])->start;
    heads[1] = hs_node(members_of(small)[0])->start;
    hs_record(HSW_MERGE, site, hs_node(base_node)->id | (ULong)hs_node(node)->id << 32);
    if (clusters[large].words < clusters[small].words) {
        UInt swap = large;
        large = small;
        small = swap;
    }
    for (UInt i = 0; i < clusters[small].n; i++) {
        UInt member = members_of(small)[i];
        insert(large, member);
        label_words(member, large);
    }
    release(small);
    hs_heads[(heads[0] > heads[1] ? heads[0] : heads[1]) >> 3] = HS_NOT_HEAD;
}

/* ---- Split_Node ---- */

/* A cluster is cut: the member leaves it with all above. */
static void separate(UInt number, UInt node, UInt site) {
    UInt at = place_of(number, hs_extent_start(hs_node(node))), n = clusters[number].n;
    SizeT below = 0;
    hs_record(HSW_SEPARATE, site, hs_node(node)->id);
    for (UInt i = 0; i < at; i++)
        below += hs_node(members_of(number)[i])->words;
    hs_heads[hs_node(node)->start >> 3] = 0;
    if (2 * below < clusters[number].words)
        take_out(number, 0, at);
    else
        take_out(number, at, n);
}

/* A new node begins at `start`, inside or behind another. `end`: of what it takes over. */
static UInt split_off(UInt from, Addr start, Addr end, UInt site) {
    UInt number = hs_node_begins(start, HSW_NODE_SPLIT, site, end ? 0 : HS_EMPTY);
    struct hs_node *node = hs_node(number), *source = hs_node(from);
    node->words = end ? (end >> 3) - (start >> 3) : 1;
    hs_send_extent(number);
    hs_record(HSW_SOURCE, start, node->id | (ULong)source->id << 32);
    if (end)
        source->words = (start >> 3) - (hs_extent_start(source) >> 3);
    source->segment = ~0u; /* its JOIN stands after the SOURCE */
    hs_send_extent(from);
    return number;
}

static void split(UInt cluster, UInt from, Addr start, UInt site) {
    UInt node = split_off(from, start, hs_extent_end(hs_node(from)), site);
    if (clusters[cluster].n > 1) {
        insert(cluster, node);
        separate(cluster, node, site);
    } else
        label_words(node, hs_new_cluster(node));
}

/* The first access to the head of a new node is to be noticed. */
static void set_trap(Addr start) {
    hs_reach[start >> 3] = HS_REACH;
}

void hs_pointer_stored(Addr address, Addr value, ULong site) {
    UInt owner, node;
    if (!hs_is_heap(address) || !hs_is_heap(value)) /* the code that asked looked at its low bits */
        return;
    owner = hs_owner[value >> 3];
    if (owner == HS_NOBODY) {
        UInt from = hs_node_below(value);
        node = from ? split_off(from, value, 0, site)
                    : hs_node_begins(value, HSW_NODE_STORED, site, HS_EMPTY);
        hs_node(node)->words = 1;
        label_words(node, hs_new_cluster(node));
    } else if (!(owner & HS_NOBODY)) {
        node = hs_member_at(owner, value);
        if (hs_extent_start(hs_node(node)) == (value & ~(Addr)7)) {
            if (clusters[owner].n > 1)
                separate(owner, node, site);
            return;
        }
        split(owner, node, value, site);
    } else
        return;
    set_trap(value);
}

ULong hs_touches;

void hs_touched(Addr address) {
    UInt owner = hs_owner[address >> 3], number = hs_member_at(owner, address);
    struct hs_node *node = hs_node(number);
    if (node->flags & HS_TOUCHED)
        return;
    node->flags |= HS_TOUCHED;
    hs_touches++;
    label_words(number, owner);
    is_used(number);
}

/* The node's memory goes away. */
void hs_leave_cluster(UInt node) {
    UInt cluster = cluster_of(node);
    if (clusters[cluster].n > 1) {
        UInt at = place_of(cluster, hs_extent_start(hs_node(node)));
        UInt other = take_out(cluster, at, at + 1);
        hs_heads[hs_node(members_of(cluster)[0])->start >> 3] = 0;
        release(other);
    } else
        release(cluster);
}
