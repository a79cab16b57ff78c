/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Mode internals: Split_Node and Merge_Nodes. A unit is a node or a cluster of nodes; the owner map
 * names units. A unit is named by one of its nodes: a node by itself, a cluster by the member it is
 * labelled with.
 */
#include "nodes.h"

#include "pub_tool_hashtable.h"

struct cluster {
    struct _VgHashNode node; /* key: label */
    UInt n, room;
    UInt *members; /* by start */
};

static VgHashTable *clusters;

static struct cluster *cluster_of(UInt unit) {
    return clusters ? VG_(HT_lookup)(clusters, unit) : NULL;
}

static UInt unit_of(UInt number) {
    return hs_owner[hs_node(number)->start >> 3];
}

/* Place of the last member that begins at or below the address. */
static UInt place_of(const struct cluster *cluster, Addr address) {
    UInt low = 0, high = cluster->n;
    while (high - low > 1) {
        UInt middle = (low + high) / 2;
        if (hs_extent_start(hs_node(cluster->members[middle])) <= address)
            low = middle;
        else
            high = middle;
    }
    return low;
}

UInt hs_member_at(UInt unit, Addr address) {
    const struct cluster *cluster = cluster_of(unit);
    return cluster ? cluster->members[place_of(cluster, address)] : unit;
}

static void insert(struct cluster *cluster, UInt number) {
    UInt at = 0;
    if (cluster->n == cluster->room) {
        cluster->room = cluster->room ? 2 * cluster->room : 4;
        cluster->members =
            VG_(realloc)("hs.members", cluster->members, cluster->room * sizeof(UInt));
    }
    if (cluster->n && hs_node(number)->start >= hs_node(cluster->members[0])->start)
        at = place_of(cluster, hs_node(number)->start) + 1;
    VG_(memmove)
    (cluster->members + at + 1, cluster->members + at, (cluster->n - at) * sizeof(UInt));
    cluster->members[at] = number;
    cluster->n++;
}

static void label_words(UInt number, UInt unit) {
    const struct hs_node *node = hs_node(number);
    if (unit_of(number) != unit)
        hs_own_words(unit, hs_extent_start(node), hs_extent_end(node));
}

static void drop(struct cluster *cluster) {
    VG_(HT_remove)(clusters, cluster->node.key);
    VG_(free)(cluster->members);
    VG_(free)(cluster);
}

static struct cluster *make(UInt label) {
    struct cluster *cluster = VG_(calloc)("hs.cluster", 1, sizeof *cluster);
    if (!clusters)
        clusters = VG_(HT_construct)("hs.clusters");
    cluster->node.key = label;
    VG_(HT_add_node)(clusters, cluster);
    return cluster;
}

/* The nodes, by start, become a unit: a cluster, or the node alone. `label`: theirs so far. */
static void form(const UInt *members, UInt n, UInt label) {
    UInt unit = members[0];
    struct cluster *cluster;
    for (UInt i = 0; i < n; i++)
        if (n > 1 && members[i] == label)
            unit = label;
    for (UInt i = 0; i < n; i++)
        label_words(members[i], unit);
    hs_heads[hs_node(members[0])->start >> 3] = 0;
    if (n == 1)
        return;
    cluster = make(unit);
    for (UInt i = 0; i < n; i++)
        insert(cluster, members[i]);
}

/* ---- Merge_Nodes ---- */

static SizeT words_of(UInt unit) {
    const struct cluster *cluster = cluster_of(unit);
    SizeT words = 0;
    if (!cluster)
        return hs_node(unit)->words;
    for (UInt i = 0; i < cluster->n; i++)
        words += hs_node(cluster->members[i])->words;
    return words;
}

static Addr head_of(UInt unit) {
    const struct cluster *cluster = cluster_of(unit);
    return hs_node(cluster ? cluster->members[0] : unit)->start;
}

static void add_unit(struct cluster *to, UInt unit) {
    struct cluster *from = cluster_of(unit);
    for (UInt i = 0; i < (from ? from->n : 1); i++) {
        UInt number = from ? from->members[i] : unit;
        insert(to, number);
        label_words(number, to->node.key);
    }
    if (from)
        drop(from);
}

void hs_merge(UInt base_node, UInt node, UInt site) {
    UInt large = unit_of(base_node), small = unit_of(node);
    Addr heads[2] = {head_of(large), head_of(small)};
    struct cluster *cluster;
    hs_record(HSW_MERGE, site, hs_node(base_node)->id | (ULong)hs_node(node)->id << 32);
    if (words_of(large) < words_of(small)) {
        UInt swap = large;
        large = small;
        small = swap;
    }
    cluster = cluster_of(large);
    if (!cluster) {
        cluster = make(large);
        insert(cluster, large);
    }
    add_unit(cluster, small);
    hs_heads[(heads[0] > heads[1] ? heads[0] : heads[1]) >> 3] = HS_NOT_HEAD;
}

/* ---- Split_Node ---- */

/* A cluster is cut: the member leaves it with all above. */
static void separate(UInt unit, UInt number, UInt site) {
    struct cluster *cluster = cluster_of(unit);
    UInt *members = cluster->members, n = cluster->n, at;
    at = place_of(cluster, hs_extent_start(hs_node(number)));
    hs_record(HSW_SEPARATE, site, hs_node(number)->id);
    VG_(HT_remove)(clusters, unit);
    VG_(free)(cluster);
    form(members, at, unit);
    form(members + at, n - at, unit);
    VG_(free)(members);
}

/* A new node begins at `start`, inside or behind another. `end`: of what it takes over. */
static UInt split_off(UInt from, Addr start, Addr end, UInt site) {
    struct hs_node *source;
    UInt number = hs_node_begins(start, HSW_NODE_SPLIT, site, end ? 0 : HS_EMPTY);
    struct hs_node *node = hs_node(number);
    node->words = end ? (end >> 3) - (start >> 3) : 1;
    hs_send_extent(number);
    source = hs_node(from);
    hs_record(HSW_SOURCE, start, node->id | (ULong)source->id << 32);
    if (end)
        source->words = (start >> 3) - (hs_extent_start(source) >> 3);
    source->segment = ~0u; /* its JOIN stands after the SOURCE */
    hs_send_extent(from);
    return number;
}

static void split(UInt unit, UInt from, Addr start, UInt site) {
    Addr end = hs_extent_end(hs_node(from));
    struct cluster *cluster = cluster_of(unit);
    UInt number = split_off(from, start, end, site);
    if (cluster) {
        insert(cluster, number);
        separate(unit, number, site);
    } else
        hs_own_words(number, start & ~(Addr)7, end);
}

/* The first access to the head of a new node is to be noticed. */
static void set_trap(Addr start) {
    hs_reach[start >> 3] = HS_REACH;
}

void hs_pointer_stored(Addr value, ULong site) {
    UInt owner = hs_owner[value >> 3], from = hs_node_below(value);
    if (owner == HS_NOBODY) {
        UInt number = from ? split_off(from, value, 0, site)
                           : hs_node_begins(value, HSW_NODE_STORED, site, HS_EMPTY);
        hs_node(number)->words = 1;
        hs_own_words(number, value, value + 1);
    } else if (owner && !(owner & HS_NOBODY)) {
        UInt number = hs_member_at(owner, value);
        if (hs_extent_start(hs_node(number)) == (value & ~(Addr)7)) {
            separate(owner, number, site);
            return;
        }
        split(owner, number, value, site);
    } else
        return;
    set_trap(value);
}

void hs_touched(Addr address) {
    UInt owner = hs_owner[address >> 3], number = hs_member_at(owner, address);
    struct hs_node *node = hs_node(number);
    if (node->flags & HS_TOUCHED)
        return;
    node->flags |= HS_TOUCHED;
    hs_own_words(owner, hs_extent_start(node), hs_extent_end(node));
    if (node->flags & HS_EMPTY) {
        node->flags &= ~HS_EMPTY;
        hs_send_extent(number);
    }
    hs_record(HSW_TOUCHED, 0, node->id);
}
