// Omission: a store that is missing (see fault_models.h).
// SPDX-License-Identifier: GPL-2.0-or-later
#include "constraints/hypotheses/fault_models.h"

namespace heapstory::constraints {

void Omission::suppose(uint32_t cell, uint64_t last, Hypotheses &out) const {
    const Version *version = at_.held(cell);
    Version now = at_.frozen(version);
    std::vector<Version> values;
    if (at_.holds_address(cell))
        values = values_.pointers(cell);
    else if (version)
        values = values_.numbers(cell);
    for (const Version &value : values) {
        if (same(value, now) || value.target == unknown_target)
            continue;
        if (version && version->since > at_.floor() && at_.was_there(value, version->since))
            continue;
        if (uint64_t operation = last ? last : at_.last_written(value.target))
            out.add(operation, {{cell, value}});
    }
}

void Omission::suppose(Hypotheses &out) const {
    for (Object head : at_.pool()) {
        uint64_t last = at_.last_written(head);
        for (Object object = head; object < line_.objects() && line_.head(object) == head; ++object)
            for (uint32_t cell = line_.first_cell[object]; cell < line_.first_cell[object + 1];
                 ++cell) {
                suppose(cell, last, out);
                out.end_group();
            }
    }
}

} // namespace heapstory::constraints
