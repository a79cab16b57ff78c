// The nodes of a graph as a table.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "graph/moment/graph.h"
#include "graph/nodes/clusters.h"
#include "graph/nodes/roots.h"

namespace heapstory {

// The columns of a table of nodes, in this order.
struct NodeColumn {
    enum : size_t {
        id,
        kind,
        address,
        size,
        name,
        type,
        created,
        created_stack,
        freed,
        freed_stack,
        lost,
        label,
        cluster,
        source
    };
};
const std::vector<ColumnSpec> &node_columns();

Batches nodes_of(const Graph &graph, const Labels &labels, const Clusters &clusters);

// The live heap nodes with what the program can still find of them: node, reach. Empty where roots
// were not scanned at that timestamp.
TableData reach_table(const Graph &graph, const Judging &judging);

// One node, alive or not, with what is known of it by a timestamp. It is not known to be lost.
Batch node_row(const Store &store, uint64_t node, const Labels &labels, const Clusters &clusters,
               uint64_t timestamp);

} // namespace heapstory
