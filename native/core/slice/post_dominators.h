// Post-dominators and control dependences of a graph.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <vector>

namespace heapstory::slice {

using Successors = std::vector<std::vector<uint32_t>>;

// The immediate post-dominator of every node. Node 0 is the end: nodes without successors lead to
// it, and so does one of every loop that nothing leaves. By Cooper, Harvey and Kennedy.
std::vector<uint32_t> post_dominators(const Successors &successors);

// For every node the branches on which it is control dependent, ascending (Ferrante, Ottenstein
// and Warren).
std::vector<std::vector<uint32_t>> control_dependences(const Successors &successors,
                                                       const std::vector<uint32_t> &post_dominator);

} // namespace heapstory::slice
