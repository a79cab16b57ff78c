// The nodes of a graph, in order of address.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "graph/nodes/graph_node.h"
#include "store/memory.h"
#include "store/store.h"

namespace heapstory {

// Those alive after so many events; with `freed` those that were, too. There is room for `spare`
// more.
Values<GraphNode> gather_nodes(const Store &store, uint64_t events, bool freed, size_t spare);

// From which event on what an address of a node holds is its own.
inline uint64_t since(const Store &store, const GraphNode &node, uint64_t address) {
    return node.uneven ? store.contents_since(node.id, node.row, address) : node.since;
}

} // namespace heapstory
