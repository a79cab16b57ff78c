// The cycles of an edge set as time moves.
// SPDX-License-Identifier: GPL-2.0-or-later
//
// A depth-first search from each object in order, along the edges in order of offset, finds the
// edges that lead back to an object on the search stack: every cycle has one of them. On the way to
// another moment a cycle can come about only over an edge that was not there before, so only such
// edges and the ones found before are followed, from both ends at once. The whole search is done
// again only where one of them does close a cycle.
#pragma once

#include "check/edges.h"
#include "check/marks.h"

#include <utility>
#include <vector>

namespace heapstory::check {

class Cycles {
  public:
    using Edge = std::pair<Object, Object>; // heads

    Cycles(const Timeline &line, const Edges &edges, uint32_t set)
        : line_(line), edges_(edges), set_(set) {}

    // The edges that lead back, in the order in which the search meets them.
    const std::vector<Edge> &at(uint64_t time);
    uint64_t work() const { return work_; } // objects looked at so far

  private:
    void search(uint64_t time);
    bool any_closes(uint64_t time);
    bool stands(const Edge &edge, uint64_t time) const;
    bool closes(Object source, Object target, uint64_t time);

    const Timeline &line_;
    const Edges &edges_;
    uint32_t set_;
    bool searched_ = false;
    uint64_t time_ = 0, work_ = 0;
    std::vector<Edge> back_;
    Marks ahead_, behind_;
};

} // namespace heapstory::check
