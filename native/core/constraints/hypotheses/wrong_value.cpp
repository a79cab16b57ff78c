// WrongValue: another value from nearby was meant (see fault_models.h).
// SPDX-License-Identifier: GPL-2.0-or-later
#include "constraints/hypotheses/fault_models.h"

namespace heapstory::constraints {

void WrongValue::suppose(Hypotheses &out) const {
    for (uint32_t cell : at_.cells()) {
        uint64_t operation = at_.held(cell)->since;
        for (const Version &value : values_.stored(cell))
            out.add(operation, {{cell, value}});
        out.add(operation, {{cell, Hypotheses::open}});
        out.end_group();
    }
}

} // namespace heapstory::constraints
