// What the modes portable and internals found, put in order for look-up.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "format/discoveries.h"
#include "format/nodes.h"

#include <cstdint>
#include <vector>

namespace heapstory {

class Discovered {
  public:
    Discovered(Discoveries found, const NodeTable &nodes);

    const Discoveries &lists() const { return lists_; }
    // The node that another was split off, 0 if none.
    uint64_t source_of(uint64_t node) const;
    // The oldest of the nodes that a node was split off, one from another; itself if it was not.
    uint64_t eldest(uint64_t node) const;
    // A node as it was after n events: with what was split off it only later.
    void restore(uint64_t node, NodeRow &row, uint64_t n) const;

  private:
    struct Part { // split off
        uint64_t node = 0, source = 0, eldest = 0;
        uint64_t border = 0, birth = 0;
    };
    const Part *find(uint64_t node) const;

    Discoveries lists_;
    std::vector<Part> parts_;     // by node, which is by birth
    std::vector<Part> by_source_; // then by birth; borders descend
};

} // namespace heapstory
