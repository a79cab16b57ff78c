// The control-flow graph of what was executed, and which branch decides over what.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "slice/frames.h"
#include "stream/effects.h"
#include "stream/sequence.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace heapstory::slice {

// The program's code from an address on; empty where nobody knows it.
using Code = std::function<std::span<const uint8_t>(uint64_t address)>;

// A part of a block: the instructions up to `end` are of `node`.
struct BlockPart {
    uint32_t node = 0;
    uint16_t end = 0;
};

// Nodes are stretches of code that are entered at their first instruction alone. Edges are what
// activations did, calls stepped over, and the other side of every conditional branch: that one
// may never have been taken, but what it would have skipped depends on the branch. Code that was
// never executed is followed where its bytes are known; else the other side is taken to lead out of
// the function, so that too much rather than too little depends on the branch. So it is with a jump
// through a pointer that led to one place only, unless it is that of a switch whose range was
// checked just before. Where other code
// lies at an address later (made at run time, or another library), it has nodes of its own.
class FlowGraph {
  public:
    FlowGraph(const stream::Source &source, const std::vector<stream::Effects> &effects,
              const Transitions &transitions, const Code &code);

    std::span<const BlockPart> parts(uint32_t block) const {
        return {parts_.data() + first_part_[block], first_part_[block + 1] - first_part_[block]};
    }
    uint32_t node_of(uint32_t block, unsigned instruction) const {
        for (const BlockPart &part : parts(block))
            if (instruction < part.end)
                return part.node;
        return parts(block).back().node;
    }
    // Whether other code lay, or came to lie, at the address of an instruction of the block.
    bool is_changed(uint32_t block) const { return changed_[block]; }
    // The node of the code that an effect counts for, where one node begins there; else 0. An
    // effect depends on what that depends on, whether it is recorded before or after the code's
    // block.
    uint32_t node_at(uint64_t address) const {
        auto found = starts_.find(address);
        return found == starts_.end() ? 0 : found->second;
    }
    bool is_branch(uint32_t node) const {
        return successors_[node].size() > 1 || goes_anywhere_[node];
    }
    // By block, the node that ends with its call where that might have ended otherwise than by a
    // return: what comes behind it then depends on the return, and on the call where there was
    // none. Null: there is no such call.
    const std::vector<uint32_t> *open_calls() const {
        return open_calls_.empty() ? nullptr : &open_calls_;
    }
    // The branches that decide whether a node runs, ascending.
    const std::vector<uint32_t> &controllers(uint32_t node) const { return controllers_[node]; }
    bool depends(uint32_t node, uint32_t branch) const {
        const std::vector<uint32_t> &all = controllers_[node];
        return std::binary_search(all.begin(), all.end(), branch);
    }
    // The node that every way from this one to the function's end leads through; 0: the end.
    uint32_t post_dominator(uint32_t node) const { return post_dominator_[node]; }
    const std::vector<uint32_t> &successors(uint32_t node) const { return successors_[node]; }
    // The nodes that calls lead to, ascending.
    const std::vector<uint32_t> &entries() const { return entries_; }
    // Nodes at whose end the stream ended, with what would have come next: where a call returns to,
    // the target of a jump. No edges of the graph, since the call may never have returned.
    const std::vector<std::pair<uint32_t, uint32_t>> &unfinished() const { return unfinished_; }
    uint64_t address(uint32_t node) const { return address_[node]; }
    uint32_t nodes() const { return uint32_t(address_.size()); } // 0 is the end

  private:
    friend class FlowGraphBuilder;
    std::vector<uint32_t> first_part_;
    std::vector<BlockPart> parts_;
    std::vector<uint64_t> address_;
    std::vector<std::vector<uint32_t>> successors_, controllers_;
    std::vector<uint32_t> post_dominator_, entries_;
    std::vector<std::pair<uint32_t, uint32_t>> unfinished_;
    std::unordered_map<uint64_t, uint32_t> starts_; // nodes by address, 0 where there are several
    std::vector<bool> changed_;                     // by block
    std::vector<bool> goes_anywhere_;               // by node
    std::vector<uint32_t> open_calls_;
};

} // namespace heapstory::slice
