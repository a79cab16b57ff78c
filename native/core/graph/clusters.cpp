// SPDX-License-Identifier: GPL-2.0-or-later
#include "graph/clusters.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <unordered_map>

namespace heapstory {

// Follows what happens to the units: single nodes and clusters.
class ClusterMaker {
  public:
    ClusterMaker(Clusters &out, const NodeTable &nodes) : out_(out), nodes_(nodes) {}

    void merge(const Merge &merge) {
        if (!is_node(merge.from) || !is_node(merge.to))
            return;
        std::shared_ptr<Unit> from = unit_of(merge.from), to = unit_of(merge.to);
        if (from != to)
            from = unite(from, to, merge.after);
        from->edges.push_back(out_.merges_.size());
        out_.merges_.push_back({merge.from, merge.to, merge.after, never, merge.site});
    }

    // What is split off a member of a cluster is a member too.
    void split(const Origin &origin, uint64_t after) {
        auto at = units_.find(origin.source);
        if (at == units_.end() || !at->second->cluster)
            return;
        std::shared_ptr<Unit> unit = at->second;
        unit->members.insert(key(origin.node));
        units_[origin.node] = unit;
        out_.memberships_.push_back({origin.node, after, unit->cluster});
    }

    void separate(const Separation &separation) {
        if (!is_node(separation.node))
            return;
        std::shared_ptr<Unit> rest = unit_of(separation.node), leaving = std::make_shared<Unit>();
        auto border = rest->members.lower_bound(key(separation.node));
        leaving->members.insert(border, rest->members.end());
        rest->members.erase(border, rest->members.end());
        if (rest->members.empty()) { // all of it leaves: nothing changes
            rest->members = std::move(leaving->members);
            return;
        }
        for (const Key &member : leaving->members)
            units_[member.second] = leaving;
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
    using Key = std::pair<uint64_t, uint64_t>; // start, node
    struct Unit {
        std::set<Key> members;
        uint64_t cluster = 0;
        std::vector<size_t> edges;
    };

    bool is_node(uint64_t node) const { return node && node <= nodes_.size(); }
    Key key(uint64_t node) const { return {nodes_.get(node).address, node}; }
    std::shared_ptr<Unit> unit_of(uint64_t node) {
        std::shared_ptr<Unit> &unit = units_[node];
        if (!unit) {
            unit = std::make_shared<Unit>();
            unit->members.insert(key(node));
        }
        return unit;
    }
    uint64_t new_cluster(uint64_t after) {
        out_.clusters_.push_back({after});
        return out_.clusters_.size();
    }
    void note(const Unit &unit, uint64_t after) {
        for (const Key &member : unit.members)
            out_.memberships_.push_back({member.second, after, unit.cluster});
    }

    // The cluster of the lower head goes on; a single node joins the other's.
    std::shared_ptr<Unit> unite(std::shared_ptr<Unit> a, std::shared_ptr<Unit> b, uint64_t after) {
        if (*b->members.begin() < *a->members.begin())
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
        for (const Key &member : b->members)
            units_[member.second] = a;
        a->members.merge(b->members);
        a->edges.insert(a->edges.end(), b->edges.begin(), b->edges.end());
        return a;
    }

    void part_edges(Unit &rest, Unit &leaving, uint64_t after) {
        std::vector<size_t> edges = std::move(rest.edges);
        rest.edges.clear();
        for (size_t edge : edges) {
            MergeEdge &merge = out_.merges_[edge];
            bool from = leaving.members.contains(key(merge.from));
            bool to = leaving.members.contains(key(merge.to));
            if (from != to)
                merge.until = after;
            else
                (from ? leaving : rest).edges.push_back(edge);
        }
    }

    Clusters &out_;
    const NodeTable &nodes_;
    std::unordered_map<uint64_t, std::shared_ptr<Unit>> units_;
};

Clusters::Clusters(const Discoveries &found, const NodeTable &nodes) {
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
