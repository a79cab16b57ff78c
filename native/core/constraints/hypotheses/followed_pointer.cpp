// What if the rest of the operation had followed another pointer?
// SPDX-License-Identifier: GPL-2.0-or-later
#include "constraints/hypotheses/repair.h"

#include <algorithm>

namespace heapstory::constraints {

namespace {

constexpr size_t most_followed = 1024; // hypotheses in all

} // namespace

// A pointer that is stored is often read again soon: by it the operation chooses what it does next,
// and where it writes. So one of the stores after it may belong into a field of the object that the
// pointer should have led to, and where it went there is what was there before.
void Repair::suppose_followed(uint32_t cell, uint32_t later) {
    uint64_t operation = held(cell)->since;
    const Version *old = before(later);
    if (!old)
        return;
    Version now = frozen(held(later)), left = frozen(old);
    for (const Version &value : values_for(cell)) {
        if (value.target >= line_.objects())
            continue;
        Object object = value.target;
        for (uint32_t other = line_.first_cell[object]; other < line_.first_cell[object + 1];
             ++other)
            if (other != cell && other != later && field_of(other).kind == field_of(later).kind &&
                !same(frozen(held(other)), now))
                suppose(operation, {{cell, value}, {later, left}, {other, now}});
    }
    groups_.push_back(hypotheses_.size());
}

void Repair::suppose_followed() {
    for (uint32_t cell : cells_)
        for (uint32_t later : cells_)
            if (hypotheses_.size() < most_followed && holds_address(cell) && was_stored(cell) &&
                held(later)->since > held(cell)->since && was_stored(later))
                suppose_followed(cell, later);
}

} // namespace heapstory::constraints
