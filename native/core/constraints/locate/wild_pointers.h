// Operations that stored an address at which nothing was.
// SPDX-License-Identifier: GPL-2.0-or-later
//
// What later stores overwrite, or the end of its object hides, has often been followed by then: the
// structure is broken elsewhere, and the pointer that led astray is gone. But an address of nothing
// is wrong from the moment it is stored.
#pragma once

#include "constraints/hypotheses/repair.h"

#include <cstdint>
#include <vector>

namespace heapstory::constraints {

struct Astray {
    uint64_t time = 0; // of the operation
    Inconsistency found;
};

// Those after `floor` and up to `time`, in order, whose statements did no such thing before.
std::vector<Astray> find_astray(Checker &checker, uint64_t time, uint64_t floor,
                                const Repair::StatementOf &statement_of);

} // namespace heapstory::constraints
