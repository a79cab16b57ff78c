// FollowedPointer: a store that went where a wrong pointer led (see fault_models.h).
// SPDX-License-Identifier: GPL-2.0-or-later
#include "constraints/hypotheses/fault_models.h"

namespace heapstory::constraints {

namespace {

constexpr size_t most = 1024; // hypotheses in all

} // namespace

void FollowedPointer::suppose(uint32_t cell, uint32_t later, Hypotheses &out) const {
    uint64_t operation = at_.held(cell)->since;
    const Version *old = at_.before(later);
    if (!old)
        return;
    Version now = at_.frozen(at_.held(later)), left = at_.frozen(old);
    for (const Version &value : values_.stored(cell)) {
        if (value.target >= line_.objects())
            continue;
        Object object = value.target;
        for (uint32_t other = line_.first_cell[object]; other < line_.first_cell[object + 1];
             ++other)
            if (other != cell && other != later &&
                at_.field_of(other).kind == at_.field_of(later).kind &&
                !same(at_.frozen(at_.held(other)), now))
                out.add(operation, {{cell, value}, {later, left}, {other, now}});
    }
    out.end_group();
}

void FollowedPointer::suppose(Hypotheses &out) const {
    for (uint32_t cell : at_.cells())
        for (uint32_t later : at_.cells())
            if (out.size() < most && at_.holds_address(cell) && at_.was_stored(cell) &&
                at_.held(later)->since > at_.held(cell)->since && at_.was_stored(later))
                suppose(cell, later, out);
}

} // namespace heapstory::constraints
