// Which call stacks allocate blocks of which type, and the global variables: one pass over all
// nodes of a trace.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "store/store.h"

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace heapstory::constraints {

class Allocations {
  public:
    struct Stack { // with the first block that it allocated, and how many
        uint32_t stack;
        uint64_t node, blocks;
    };
    using Kind = std::pair<TypeId, uint64_t>; // type (no_type: unknown) and size of a block

    explicit Allocations(const Store &store);

    // Call stacks by what the first block that each allocated is like.
    const std::map<Kind, std::vector<Stack>> &stacks() const { return stacks_; }
    const std::vector<uint64_t> &globals() const { return globals_; } // nodes

  private:
    std::map<Kind, std::vector<Stack>> stacks_;
    std::vector<uint64_t> globals_;
};

} // namespace heapstory::constraints
