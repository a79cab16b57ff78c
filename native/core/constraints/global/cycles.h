// The cycles of an edge set as time moves.
// SPDX-License-Identifier: GPL-2.0-or-later
//
// A depth-first search from each object in order, along the edges in order of offset, finds the
// edges that lead back to an object on the search stack: every cycle has one of them. All other
// edges lead from an object with a lower label to one with a higher.
//
// A cycle needs an edge that does not. So on the way to another moment only the edges that were not
// there before are looked at. Most go up; for most others one end gets a label between those of its
// neighbours. For the few that are left, the objects ahead and behind with labels in between are
// found and change labels (Pearce and Kelly, A dynamic topological sort algorithm). The whole
// search is done again only where such an edge does close a cycle, or where that has become as much
// work.
#pragma once

#include "constraints/timeline/edges.h"
#include "constraints/timeline/marks.h"

#include <utility>
#include <vector>

namespace heapstory::constraints {

class Cycles {
  public:
    using Edge = std::pair<Object, Object>; // heads

    Cycles(const Timeline &line, const Edges &edges, uint32_t set)
        : line_(line), edges_(edges), set_(set) {}

    // The edges that lead back, in the order in which the search meets them.
    const std::vector<Edge> &at(uint64_t time);
    // Whether there are any, which takes no search where an edge is known that closes a cycle.
    bool any(uint64_t time);
    uint64_t work() const { return work_; } // objects looked at so far

  private:
    static constexpr uint64_t gap = uint64_t(1) << 32; // between labels
    static constexpr uint64_t middle = uint64_t(1) << 63;

    void search(uint64_t time);
    void move(uint64_t time);
    bool goes_up(const Edge &edge) const {
        return labels_[edge.first] && labels_[edge.first] < labels_[edge.second];
    }
    bool label_anew(Object object, uint64_t time);
    bool stands(const Edge &edge, uint64_t time) const;
    bool closes(const Edge &edge, uint64_t time);
    bool reorder();

    const Timeline &line_;
    const Edges &edges_;
    uint32_t set_;
    bool searched_ = false;
    bool any_ = false;    // as of time_
    bool listed_ = false; // they are in back_
    uint64_t time_ = 0, work_ = 0;
    uint64_t followed_ = 0; // objects, since the last search
    std::vector<Edge> back_;
    std::vector<uint64_t> labels_;                // by object (a head); 0: none yet
    uint64_t lowest_ = middle, highest_ = middle; // labels
    std::vector<Edge> against_; // edges that do not go up, and maybe some that are gone
    Marks seen_;
    std::vector<Object> ahead_, behind_;
    std::vector<uint64_t> pool_;
};

} // namespace heapstory::constraints
