// What a call is handed, and hands back, in registers that the caller does not touch.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "slice/prepared.h"
#include "slice/slice.h"

#include <cstdint>
#include <optional>
#include <span>

namespace heapstory::slice {

// A call, or a jump to a function that returns in the place of the one that jumps.
struct CallMade {
    Point point;
    uint64_t activation = 0; // in which
    uint64_t stack = 0;      // where the return address lies; 0: unknown
    bool jumps = false;
};

// The registers for arguments: general ones, and the first eight vector registers.
stream::RegisterSet argument_registers();

// What the call is handed: of some registers, those whose values what is called makes use of, and
// arguments on the stack. Putting a value into a frame is no use, if nobody gets it from there: a
// function with variable arguments saves all that there may be. On the stack is what it loads from
// above its return address by its own stack or frame pointer and, of what the caller has pushed,
// what anybody loads.
Handed used_arguments(const Prepared &prepared, const CallMade &call,
                      const stream::RegisterSet &open, std::span<const uint64_t> pushed);

// What is called made it, and what comes after the call makes use of it. None where it never
// returned, or left nothing that is used.
std::optional<Handed> used_results(const Prepared &prepared, const CallMade &call);

} // namespace heapstory::slice
