// Types that typed fields promise to the nodes they point to.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "format/tables.h"
#include "graph/graph_node.h"

#include <span>
#include <vector>

namespace heapstory {

// A pointer to the start of a heap node of unknown type.
struct Promise {
    uint32_t source = 0, target = 0; // places of the nodes
    uint64_t offset = 0;             // of the field
};

// Gives the targets the types that the fields promise, from node to node. The promises come in
// order of their sources; returns the places of those that have a type now.
std::vector<uint32_t> keep_promises(const Tables &tables, std::span<const Promise> promises,
                                    std::span<GraphNode> nodes);

} // namespace heapstory
