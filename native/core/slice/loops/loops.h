// Loops of a run, and what their iterations take over from one another.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "slice/loops/heads.h"
#include "slice/loops/loop.h"
#include "slice/prepared.h"

#include <cstdint>
#include <vector>

namespace heapstory::slice {

// One pass over the stream finds every dependence that an iteration of a loop of the program's own
// code has on an earlier one, and in which loop: the innermost that was running both times. What
// library functions do counts for the instruction that called them. What code in `ignored` makes
// is not followed (the dynamic loader, which resolves a function when it is first called). That
// iterations write over what none of them uses is no dependence: each could have its own copy. So
// could those that get a block which an earlier one gave back: `allocations` (in order of steps)
// end all that was known of the memory.
struct LoopOptions {
    std::vector<stream::Range> ignored;
    std::vector<stream::Allocation> allocations;
    LinesOf lines;
    bool forward = true; // also by the forward slice of the first iteration
    bool whole = true;   // the stream ended with the program
};
std::vector<Loop> loops(const Prepared &prepared, const LoopOptions &options,
                        const Progress &progress = {});

} // namespace heapstory::slice
