// Which nodes nothing leads to any more.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "graph/nodes/graph_node.h"
#include "store/table.h"

#include <span>

namespace heapstory {

// Marks the live heap nodes that neither a global nor a root leads to. The edges are in the order
// of the nodes that hold them; those of roots, which are no part of `nodes`, come last.
void find_lost(std::span<GraphNode> nodes, const Batches &edges);

} // namespace heapstory
