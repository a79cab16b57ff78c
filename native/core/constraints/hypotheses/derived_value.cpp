// DerivedValue: a number that was computed from a wrong one (see fault_models.h).
// SPDX-License-Identifier: GPL-2.0-or-later
#include "constraints/hypotheses/fault_models.h"

namespace heapstory::constraints {

void DerivedValue::suppose(Hypotheses &out) const {
    for (uint32_t cell : at_.cells()) {
        uint64_t operation = at_.held(cell)->since;
        std::vector<Change> derived;
        for (uint32_t later : at_.cells())
            if (at_.held(later)->since > operation && at_.was_stored(later) &&
                at_.holds_number(later))
                derived.push_back({later, Hypotheses::open});
        if (derived.empty() || !at_.was_stored(cell))
            continue;
        out.add({operation, derived, none, true});
        for (const Version &value : values_.stored(cell)) {
            std::vector<Change> changes{{cell, value}};
            changes.insert(changes.end(), derived.begin(), derived.end());
            out.add(operation, std::move(changes));
        }
        out.end_group();
    }
}

} // namespace heapstory::constraints
