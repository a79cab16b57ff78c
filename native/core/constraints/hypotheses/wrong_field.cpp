// WrongField: a value stored into another field than meant (see fault_models.h).
// SPDX-License-Identifier: GPL-2.0-or-later
#include "constraints/hypotheses/fault_models.h"

namespace heapstory::constraints {

void WrongField::suppose(Hypotheses &out) const {
    for (uint32_t cell : at_.cells()) {
        Object object = line_.owner(cell);
        Version now = at_.frozen(at_.held(cell)), old = at_.frozen(at_.before(cell));
        for (uint32_t other = line_.first_cell[object]; other < line_.first_cell[object + 1];
             ++other) {
            Version there = at_.frozen(at_.held(other));
            if (other == cell || at_.field_of(other).kind != at_.field_of(cell).kind ||
                same(now, there))
                continue;
            for (const Version &left : {old, there})
                if (left.target != unknown_target && !same(left, now))
                    out.add(at_.held(cell)->since, {{cell, left}, {other, now}});
        }
        out.end_group();
    }
}

} // namespace heapstory::constraints
