// MixedUpValues: values stored into each other's fields (see fault_models.h).
// SPDX-License-Identifier: GPL-2.0-or-later
#include "constraints/hypotheses/fault_models.h"

#include <algorithm>

namespace heapstory::constraints {

namespace {

constexpr size_t most_joint = 4; // fields that one statement wrote

} // namespace

// Every way to put the values that the fields hold or held into two or more of them.
void MixedUpValues::suppose(std::span<const uint32_t> cells, Hypotheses &out) const {
    uint64_t operation = at_.held(cells[0])->since;
    std::vector<Version> values;
    for (uint32_t cell : cells) {
        CandidateValues::add_once(values, at_.frozen(at_.held(cell)));
        if (const Version *old = at_.before(cell))
            CandidateValues::add_once(values, at_.frozen(old));
    }
    size_t all = 1;
    for (size_t i = 0; i < cells.size(); ++i)
        all *= values.size();
    for (size_t choice = 0; choice < all; ++choice) {
        std::vector<Change> changes;
        size_t rest = choice;
        for (uint32_t cell : cells) {
            const Version &value = values[rest % values.size()];
            rest /= values.size();
            if (!same(value, at_.frozen(at_.held(cell))))
                changes.push_back({cell, value});
        }
        bool possible = std::all_of(changes.begin(), changes.end(), [&](const Change &change) {
            return at_.was_there(change.version, operation);
        });
        if (changes.size() > 1 && possible)
            out.add(operation, std::move(changes));
    }
    out.end_group();
}

void MixedUpValues::suppose(Hypotheses &out) const {
    std::span<const uint32_t> cells = at_.cells();
    for (size_t first = 0, end = 0; first < cells.size(); first = end) {
        uint64_t statement = at_.statement_of(cells[first]);
        for (end = first + 1; end < cells.size(); ++end)
            if (at_.statement_of(cells[end]) != statement)
                break;
        if (end - first > 1 && end - first <= most_joint)
            suppose(cells.subspan(first, end - first), out);
    }
}

} // namespace heapstory::constraints
