// What the modes portable and internals found, put in order for look-up.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "format/nodes/discoveries.h"
#include "format/nodes/nodes.h"

#include <cstdint>
#include <vector>

namespace heapstory {

class Discovered {
  public:
    Discovered(Discoveries found, const NodeTable &nodes);

    const Discoveries &lists() const { return lists_; }
    // A node as it was after n events: with what was split off it only later.
    void restore(uint64_t node, NodeRow &row, uint64_t n) const;

  private:
    struct Part { // split off
        uint64_t node = 0, source = 0, border = 0, birth = 0;
        uint64_t end = 0; // of what was split off the source from this one on, parts of parts too
    };
    void find_ends();

    Discoveries lists_;
    std::vector<Part> parts_; // by source, then by birth
};

} // namespace heapstory
