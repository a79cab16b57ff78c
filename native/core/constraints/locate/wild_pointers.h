// Operations that stored a dangling or wild pointer.
// SPDX-License-Identifier: GPL-2.0-or-later
//
// What later stores overwrite, or the end of its object hides, has often been followed by then: the
// structure is broken elsewhere, and the pointer that led there is gone. But a wild pointer
// is wrong from the moment it is stored.
#pragma once

#include "constraints/hypotheses/decisive.h"

#include <cstdint>
#include <vector>

namespace heapstory::constraints {

struct WildStore {
    uint64_t time = 0; // of the operation
    Inconsistency found;
};

// Those after `floor` and up to `time`, in order, whose statements did no such thing before.
std::vector<WildStore> find_wild_stores(Checker &checker, uint64_t time, uint64_t floor,
                                        const StatementOf &statement_of);

} // namespace heapstory::constraints
