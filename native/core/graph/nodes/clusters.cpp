// SPDX-License-Identifier: GPL-2.0-or-later
#include "graph/nodes/clusters.h"

#include <algorithm>
#include <deque>
#include <iterator>

namespace heapstory {

// Follows what happens to the groups: single nodes and clusters.
class ClusterMaker {
  public:
    ClusterMaker(Clusters &out, const NodeTable &nodes)
        : out_(out), starts_(1), groups_(nodes.size() + 1) {
        starts_.reserve(nodes.size() + 1);
        nodes.for_each([this](uint64_t, const NodeRow &row) { starts_.push_back(row.address); });
    }

    void merge(const Merge &merge) {
        if (!is_node(merge.from) || !is_node(merge.to))
            return;
        Group *from = group_of(merge.from), *to = group_of(merge.to);
        if (from != to)
            from = unite(from, to, merge.after);
        from->edges.push_back(out_.merges_.size());
        out_.merges_.push_back({merge.from, merge.to, merge.after, never, merge.site});
    }

    // What is split off a member of a cluster is a member too.
    void split(const Origin &origin, uint64_t after) {
        Group *group = groups_[origin.source];
        if (!group || !group->cluster)
            return;
        group->members.insert(position_of(*group, origin.node), origin.node);
        groups_[origin.node] = group;
        out_.memberships_.push_back({origin.node, after, group->cluster});
    }

    void separate(const Separation &separation) {
        if (!is_node(separation.node))
            return;
        Group *rest = group_of(separation.node);
        auto border = position_of(*rest, separation.node);
        if (border == rest->members.begin()) // all of it leaves: nothing changes
            return;
        Group *leaving = new_group();
        leaving->members.assign(border, rest->members.end());
        rest->members.erase(border, rest->members.end());
        for (uint64_t member : leaving->members)
            groups_[member] = leaving;
        if (leaving->members.size() > 1)
            leaving->cluster = new_cluster(separation.after);
        if (rest->members.size() == 1)
            rest->cluster = 0;
        note(*leaving, separation.after);
        if (!rest->cluster)
            note(*rest, separation.after);
        part_edges(*rest, *leaving, separation.after);
    }

  private:
    struct Group {
        std::vector<uint64_t> members; // by start
        uint64_t cluster = 0;
        std::vector<size_t> edges;
    };

    bool is_node(uint64_t node) const { return node && node < starts_.size(); }
    bool is_before(uint64_t a, uint64_t b) const {
        return std::pair(starts_[a], a) < std::pair(starts_[b], b);
    }
    // Where a node is among the members, or would be.
    std::vector<uint64_t>::iterator position_of(Group &group, uint64_t node) const {
        return std::lower_bound(group.members.begin(), group.members.end(), node,
                                [this](uint64_t a, uint64_t b) { return is_before(a, b); });
    }
    Group *new_group() {
        if (unused_.empty())
            return &all_.emplace_back();
        Group *group = unused_.back();
        unused_.pop_back();
        return group;
    }
    Group *group_of(uint64_t node) {
        if (!groups_[node]) {
            groups_[node] = new_group();
            groups_[node]->members.push_back(node);
        }
        return groups_[node];
    }
    uint64_t new_cluster(uint64_t after) {
        out_.clusters_.push_back({after});
        return out_.clusters_.size();
    }
    void note(const Group &group, uint64_t after) {
        for (uint64_t member : group.members)
            out_.memberships_.push_back({member, after, group.cluster});
    }

    // The cluster of the lower head goes on; a single node joins the other's.
    Group *unite(Group *a, Group *b, uint64_t after) {
        if (is_before(b->members.front(), a->members.front()))
            std::swap(a, b);
        bool is_new = !a->cluster;
        if (is_new)
            a->cluster = b->cluster ? b->cluster : new_cluster(after);
        if (b->cluster != a->cluster) {
            b->cluster = a->cluster;
            note(*b, after);
        }
        if (is_new)
            note(*a, after);
        for (uint64_t member : b->members)
            groups_[member] = a;
        auto middle = ptrdiff_t(a->members.size());
        a->members.insert(a->members.end(), b->members.begin(), b->members.end());
        std::inplace_merge(a->members.begin(), a->members.begin() + middle, a->members.end(),
                           [this](uint64_t x, uint64_t y) { return is_before(x, y); });
        a->edges.insert(a->edges.end(), b->edges.begin(), b->edges.end());
        *b = {};
        unused_.push_back(b);
        return a;
    }

    void part_edges(Group &rest, Group &leaving, uint64_t after) {
        std::erase_if(rest.edges, [&](size_t edge) {
            MergeEdge &merge = out_.merges_[edge];
            bool from = groups_[merge.from] == &leaving, to = groups_[merge.to] == &leaving;
            if (from != to)
                merge.until = after;
            else if (from)
                leaving.edges.push_back(edge);
            return from || to;
        });
    }

    Clusters &out_;
    std::vector<uint64_t> starts_; // by node
    std::vector<Group *> groups_;  // by node; null: never merged
    std::deque<Group> all_;
    std::vector<Group *> unused_;
};

Clusters::Clusters(const Discoveries &found, const NodeTable &nodes) {
    if (found.merges.empty()) // then there is nothing to separate
        return;
    ClusterMaker maker(*this, nodes);
    auto merge = found.merges.begin();
    auto separation = found.separations.begin();
    auto follow = [&](uint64_t until) {
        for (;;) {
            uint64_t merged = merge == found.merges.end() ? never : merge->after;
            uint64_t separated = separation == found.separations.end() ? never : separation->after;
            if (std::min(merged, separated) >= until)
                return;
            if (merged < separated)
                maker.merge(*merge++);
            else
                maker.separate(*separation++);
        }
    };
    for (const Origin &origin : found.origins) {
        if (!origin.node || origin.node > nodes.size())
            continue;
        uint64_t after = nodes.get(origin.node).birth;
        follow(after);
        maker.split(origin, after);
    }
    follow(never);
    std::stable_sort(memberships_.begin(), memberships_.end(),
                     [](const Membership &a, const Membership &b) { return a.node < b.node; });
}

uint64_t Clusters::of(uint64_t node, uint64_t n) const {
    auto after = std::upper_bound(memberships_.begin(), memberships_.end(), std::pair(node, n),
                                  [](const std::pair<uint64_t, uint64_t> &at, const Membership &m) {
                                      return at < std::pair(m.node, m.after);
                                  });
    if (after == memberships_.begin() || (after - 1)->node != node)
        return 0;
    return (after - 1)->cluster;
}

} // namespace heapstory
