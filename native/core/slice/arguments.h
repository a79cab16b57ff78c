// How a call gets its arguments.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "slice/prepared.h"
#include "slice/slice.h"

#include <cstdint>
#include <vector>

namespace heapstory::slice {

struct Arguments {
    std::vector<Point> setups;     // instructions that put them into registers, in no order
    stream::RegisterSet untouched; // registers for arguments into which the caller put nothing
    std::vector<uint64_t> pushed;  // words of the stack that it pushed
};

// A compiler may put them behind other statements than the one that calls: before the call, the
// caller's instructions are looked at that define a register for arguments, up to the call before
// it. What the caller has used itself was no argument; what it has not is one, since the call may
// leave nothing in these registers.
Arguments arguments_of(const Prepared &prepared, const stream::Sequence &sequence,
                       const Activations &activations, Point call);

} // namespace heapstory::slice
