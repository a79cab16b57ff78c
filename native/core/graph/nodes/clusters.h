// Which nodes were one group, and when: the cluster nodes and merge edges of mode internals.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "format/nodes/discoveries.h"
#include "format/nodes/nodes.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace heapstory {

struct Cluster {
    uint64_t after = 0; // made by the last of so many events
};

struct MergeEdge {
    uint64_t from = 0, to = 0;
    uint64_t after = 0, until = never; // holds after so many events, no longer after so many
    uint32_t site = 0;
};

// Merges and separations are followed once; questions are answered by searching.
class Clusters {
  public:
    Clusters() = default;
    Clusters(const Discoveries &found, const NodeTable &nodes);

    // Ids are 1 .. size(), in order of their making.
    uint64_t size() const { return clusters_.size(); }
    const Cluster &get(uint64_t cluster) const { return clusters_.at(cluster - 1); }
    // The cluster that a node belongs to after n events, 0 if none.
    uint64_t of(uint64_t node, uint64_t n) const;
    const std::vector<MergeEdge> &merges() const { return merges_; }
    // Which cluster a node belongs to from so many events on; 0: none. visit(after, cluster)
    template <class Visit> void for_memberships(uint64_t node, Visit visit) const {
        auto at = std::lower_bound(
            memberships_.begin(), memberships_.end(), node,
            [](const Membership &membership, uint64_t id) { return membership.node < id; });
        for (; at != memberships_.end() && at->node == node; ++at)
            visit(at->after, at->cluster);
    }

  private:
    struct Membership {
        uint64_t node = 0, after = 0, cluster = 0;
    };
    std::vector<Cluster> clusters_;
    std::vector<MergeEdge> merges_;
    std::vector<Membership> memberships_; // by node, then time
    friend class ClusterMaker;
};

} // namespace heapstory
