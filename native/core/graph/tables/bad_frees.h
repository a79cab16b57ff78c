// Frees of what was no live block.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "store/store.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace heapstory {

struct BadFree {
    uint32_t event = 0; // in its chunk
    uint64_t address = 0;
    uint64_t node = 0; // that was freed before, or that holds the address; 0: none
    bool is_double = false;
    uint32_t stack = 0;
    Deallocator deallocator = Deallocator::unknown;

    std::string_view error() const { return is_double ? "double-free" : "bad-free"; }
};

// Those of an events chunk, in order of time.
std::vector<BadFree> bad_frees_of(const Store &store, uint32_t chunk);

} // namespace heapstory
