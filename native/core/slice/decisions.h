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

// The decisions of all activations where one counts, and which of them are the present one's.
template <class Tag> class ActivationDecisions {
  public:
    void enter(uint64_t activation) {
        if (activation != activation_) {
            if (ends_)
                of_.erase(activation_);
            activation_ = activation;
            auto found = of_.find(activation);
            now_ = found == of_.end() ? nullptr : &found->second;
        }
        ends_ = false;
    }
    // The present activation is over when another one is entered next.
    void end() { ends_ = true; }
    void begin(uint64_t callee, Tag tag) { of_[callee].called(tag); }

    // The present activation, with `tag`, returned from a call that might have ended otherwise.
    void returned(uint64_t caller, uint32_t node, Tag tag) {
        if (auto found = of_.find(caller); found != of_.end() || tag != Tag())
            (found == of_.end() ? of_[caller] : found->second).decide(node, tag);
    }

    // Null: nothing was decided that brings a tag.
    const Decisions<Tag> *now() const { return now_; }
    Tag over(const FlowGraph &graph, uint32_t node) const {
        return now_ ? now_->over(graph, node) : Tag();
    }
    // What ran depended on `tag`, and decides over others where the node ends with a branch.
    void ran(const FlowGraph &graph, uint32_t node, Tag tag) {
        const bool decides = graph.is_branch(node);
        if (!now_ && decides && tag != Tag())
            now_ = &of_[activation_];
        if (!now_)
            return;
        if (decides)
            now_->decide(node, tag);
        now_->last_node = node;
    }

  private:
    std::unordered_map<uint64_t, Decisions<Tag>> of_; // by activation
    Decisions<Tag> *now_ = nullptr;
    uint64_t activation_ = 0;
    bool ends_ = false;
};

} // namespace heapstory::slice
