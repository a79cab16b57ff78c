// Which execution of a branch kept a field from being written.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "slice/prepared.h"
#include "slice/slice.h"
#include "stream/sequence.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace heapstory::slice {

// How an execution of the branch has to do with the node.
enum class KeptBy : uint8_t {
    last,     // of all nodes of its kind, the function had accessed this one last
    accessed, // the function had accessed it since it ran the branch before
    order     // nothing is known but the order of time
};

struct KeptQuestion {
    uint64_t branch = 0, writer = 0;   // addresses of instructions
    uint64_t since = 0, until = 0;     // steps between which the branch ran
    stream::Range node;                // whose field was not written
    std::vector<stream::Range> others; // nodes of its kind, by address
};

struct Kept {
    Point branch;
    KeptBy by = KeptBy::order;
};

// Of the executions of the branch after which the writer did not run in the same activation, before
// the branch ran there again: the first of those that have most to do with the node. What functions
// do counts for their callers too.
std::optional<Kept> find_kept(const Prepared &prepared, const KeptQuestion &question);

} // namespace heapstory::slice
