// A set of executed instructions.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "slice/live_memory.h"
#include "slice/prepared.h"

#include <algorithm>
#include <cstdint>

namespace heapstory::slice {

// A bit for each instruction of each step, in pages that are made when first needed. An effect
// counts as instruction 0 of its step.
class Marks {
  public:
    explicit Marks(const Prepared &prepared) {
        for (uint32_t id = 1; id <= prepared.source().blocks(); ++id)
            width_ = std::max<uint64_t>(width_, prepared.effects(id).instructions.size());
    }

    void add(uint64_t step, unsigned instruction) { bits_.add(step * width_ + instruction, 1); }
    bool has(uint64_t step, unsigned instruction) const {
        return bits_.has(step * width_ + instruction);
    }
    uint64_t size() const { return bits_.bytes(); }

  private:
    uint64_t width_ = 1;
    LiveMemory bits_;
};

} // namespace heapstory::slice
