// What the instructions of an activation owe to the branches that decided over them.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "slice/flow_graph.h"

#include <cstdint>
#include <unordered_map>

namespace heapstory::slice {

// Walking forward, a node's execution depends on the branch executed last among those that decide
// over it, in the same activation, and on the call where none of them was. Decisions are kept from
// the first on that brings a tag: what was decided before brings none, which is the default.
template <class Tag> class Decisions {
  public:
    uint32_t last_node = 0; // that ran: an effect depends on what that one does

    bool idle() const { return called_ == Tag() && made_.empty(); }
    void called(Tag tag) { called_ = tag; }
    void decide(uint32_t branch, Tag tag) {
        if (!idle() || tag != Tag())
            made_[branch] = {++order_, tag};
    }
    Tag over(const FlowGraph &graph, uint32_t node) const {
        if (idle())
            return Tag();
        const Decision *last = nullptr;
        for (uint32_t branch : graph.controllers(node)) {
            auto found = made_.find(branch);
            if (found != made_.end() && (!last || found->second.order > last->order))
                last = &found->second;
        }
        return last ? last->tag : called_;
    }

  private:
    struct Decision {
        uint64_t order;
        Tag tag;
    };
    Tag called_{};
    uint64_t order_ = 0;
    std::unordered_map<uint32_t, Decision> made_; // by branch, the last of each
};

} // namespace heapstory::slice
