// The nodes of a graph, in order of address.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "graph/graph_node.h"
#include "store/memory.h"
#include "store/store.h"

namespace heapstory {

// Those alive after so many events; with `freed` those that were, too.
Values<GraphNode> gather_nodes(const Store &store, uint64_t events, bool freed);

} // namespace heapstory
