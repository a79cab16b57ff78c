// Random histories of calls of a C program, against an abstract object.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "explore/ir/found.h"

namespace heapstory::explore::ir {

// The seeds of random histories.
struct Seeds {
    uint64_t first, count;
};

// Some histories of as many calls: what they show is there, and what they do not may be, too.
Found draw(const Code &code, const Limits &limits, const Seeds &seeds);

} // namespace heapstory::explore::ir
