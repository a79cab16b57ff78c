// What held a pointer to a block, and until when.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "slice/prepared.h"
#include "slice/slice.h"
#include "stream/sequence.h"

#include <cstdint>
#include <vector>

namespace heapstory::slice {

struct Hold {
    uint64_t address = 0; // of the word in memory; 0: registers
    // The instructions that put the pointer there and took it away; of a register the last one that
    // used it: what it holds after that is nobody's.
    Point begin, end;
    bool ended = false; // false: it is there at the end of the stream
};

// The holds of a block that was made in a step, up to another one. Words of memory are known by the
// values stored, registers by where their values come from: a register that is computed from a
// pointer to the block counts as one. A function that returns gives up its frame and, but for its
// result, the registers that it need not preserve.
std::vector<Hold> find_holds(const Prepared &prepared, stream::Range block, uint64_t made,
                             uint64_t until);

} // namespace heapstory::slice
