// Timelines without a trace: blocks and writes as they are given. For tests and experiments.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "constraints/load/builder.h"

#include <string>
#include <vector>

namespace heapstory::constraints {

struct GivenWrite {
    uint64_t time = 0, address = 0;
    std::string bytes;
    uint32_t site = 0;
};

// Blocks in order of id; writes in order of time, those of one operation with the same timestamp.
Timeline make_timeline(const Plan &plan, const std::vector<SourceBlock> &blocks,
                       const std::vector<GivenWrite> &writes, uint64_t last);

} // namespace heapstory::constraints
