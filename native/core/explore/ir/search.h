// All interleavings of a few calls of a C program, against an abstract object.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "explore/ir/found.h"

namespace heapstory::explore::ir {

Found search(const Code &code, const Limits &limits);

// Calls one after the other, each an operation and its argument; gives status and value of each.
struct Sequence {
    std::vector<std::pair<int64_t, int64_t>> answers; // of those that ended
    std::vector<Fault> faults;
};
Sequence one_by_one(const Code &code, const std::vector<std::pair<int32_t, int64_t>> &calls);

} // namespace heapstory::explore::ir
