// A stream as a list of executed instructions, for algorithms that want one.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "slice/prepared.h"
#include "slice/slice.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace heapstory::slice {

// A memory reference: an address and a size. Registers lie above all memory, each thread's apart.
struct Reference {
    uint64_t first = 0, end = 0;

    bool meets(const Reference &other) const { return first < other.end && other.first < end; }
    Reference common(const Reference &other) const {
        return {std::max(first, other.first), std::min(end, other.end)};
    }
    bool operator==(const Reference &) const = default;
};

// One execution of an instruction.
struct Instance {
    uint32_t block = 0; // 0: an effect
    uint16_t instruction = 0;
    uint64_t step = 0;
    uint64_t parent = 0; // number of the branch or call that it depends on, counted from 1; 0: none
    std::vector<Reference> defined, used;
    // Every byte of the first definitions comes from the same byte of as many first uses, and from
    // all other uses.
    uint16_t copies = 0;
};

// All of a stream up to a point, in order. It takes memory for every instruction: slice by
// `backward` where that is too much.
std::vector<Instance> instances(const Prepared &prepared, const Point &upto);

} // namespace heapstory::slice
