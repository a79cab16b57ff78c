// Which nodes nothing leads to any more, and what leads to the others.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "graph/nodes/graph_node.h"
#include "graph/nodes/roots.h"
#include "store/table.h"

#include <cstdint>
#include <span>
#include <unordered_set>
#include <vector>

namespace heapstory {

// Marks the live heap nodes that neither a global nor a root leads to. The edges are in the order
// of the nodes that hold them; those of roots, which are no part of `nodes`, come last.
void find_lost(std::span<GraphNode> nodes, const Batches &edges);

// What a program can still find of a node at its end. The start of a node is what it would free;
// a pointer into the middle may be one, or a number that looks like it.
enum class Reach : uint8_t {
    reachable,         // from a global or root, by pointers to starts alone
    possible,          // from such a node or root, but only by a pointer into its middle
    possible_indirect, // from a node that is possible
    leak,              // not at all
    indirect_leak      // from a node that is a leak; of a ring of nodes, the oldest is the leak
};

// By index; of nodes as for find_lost. What holds for globals and freed nodes says nothing.
struct Judged {
    Reach reach = Reach::leak;
    uint8_t part = 0; // why it is more than possibly lost, where only its middle is known
};
struct Judging {
    std::unordered_set<uint64_t> ignored; // ids of globals and roots that lead nowhere
    Parts parts;                          // pointers to these lead to the block's start
    // Ids of blocks that the program knows nothing of, the dynamic linker's: it refers to them by
    // any pointer, and one that is lost leaves what it leads to lost on its own.
    std::unordered_set<uint64_t> hidden;
};
std::vector<Judged> classify(std::span<const GraphNode> nodes, const Batches &edges,
                             const Judging &judging);

} // namespace heapstory
