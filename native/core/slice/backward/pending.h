// What of an activation still waits for the branch it depends on.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "slice/flow_graph.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace heapstory::slice {

// Walking back, the branch instance that a node's execution depends on is the nearest one before
// it, in the same activation, of a branch that decides over the node. What has met none when the
// activation begins depends on the call.
class Pending {
  public:
    bool empty() const { return nodes_.empty() && !as_before_; }
    void add(const FlowGraph &graph, uint32_t node) {
        if (std::find(nodes_.begin(), nodes_.end(), node) != nodes_.end())
            return;
        nodes_.push_back(node);
        for (uint32_t branch : graph.controllers(node))
            filter_ |= bit(branch);
    }
    bool operator==(const Pending &other) const {
        return as_before_ == other.as_before_ && std::ranges::is_permutation(nodes_, other.nodes_);
    }
    // What is no instruction depends on what the block before it in the activation depends on.
    void add_as_before() { as_before_ = true; }
    void meet(const FlowGraph &graph, uint32_t node) {
        if (as_before_)
            add(graph, node);
        as_before_ = false;
    }
    // Whether a branch decides over something here, which then waits no longer.
    bool take(const FlowGraph &graph, uint32_t branch) {
        if (!(filter_ & bit(branch)))
            return false;
        auto decided = [&](uint32_t node) { return graph.depends(node, branch); };
        auto kept = std::remove_if(nodes_.begin(), nodes_.end(), decided);
        if (kept == nodes_.end())
            return false;
        nodes_.erase(kept, nodes_.end());
        filter_ = 0;
        for (uint32_t node : nodes_)
            for (uint32_t other : graph.controllers(node))
                filter_ |= bit(other);
        return true;
    }

  private:
    static uint64_t bit(uint32_t branch) {
        return uint64_t(1) << (branch * 0x9E3779B97F4A7C15u >> 58);
    }
    std::vector<uint32_t> nodes_;
    uint64_t filter_ = 0; // of the branches they wait for
    bool as_before_ = false;
};

} // namespace heapstory::slice
