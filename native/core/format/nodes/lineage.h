// Which node was split off which, in mode internals.
// SPDX-License-Identifier: GPL-2.0-or-later
//
// Chains are long: an allocator cuts one block after the other off the rest of its memory. So each
// part knows, besides its source, one that lies further up, and a chain is climbed in logarithmic
// time.
#pragma once

#include "format/nodes/discoveries.h"

#include <cstdint>
#include <vector>

namespace heapstory {

class Lineage {
  public:
    explicit Lineage(const std::vector<Origin> &origins = {});

    bool empty() const { return parts_.size() == 1; }
    // The node that another was split off, 0 if none.
    uint64_t source_of(uint64_t node) const { return part_of(node).source; }
    // The oldest of the nodes that a node was split off, one from another; itself if it was not.
    uint64_t eldest(uint64_t node) const;
    // The youngest of these, itself included, that has an id up to `newest`; 0 if none has.
    uint64_t youngest(uint64_t node, uint64_t newest) const;

  private:
    struct Part {
        uint64_t node = 0, source = 0, eldest = 0;
        uint32_t up = 0, jump = 0; // the part that its source is, and one further up; 0: none
        uint32_t depth = 0;
    };
    uint32_t index_of(uint64_t node) const; // 0 if it was not split off
    const Part &part_of(uint64_t node) const { return parts_[index_of(node)]; }

    std::vector<Part> parts_; // by node; the first is none
};

} // namespace heapstory
