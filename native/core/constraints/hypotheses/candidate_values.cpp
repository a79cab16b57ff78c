// SPDX-License-Identifier: GPL-2.0-or-later
#include "constraints/hypotheses/candidate_values.h"

#include <algorithm>

namespace heapstory::constraints {

void CandidateValues::add_once(std::vector<Version> &values, const Version &value) {
    if (std::none_of(values.begin(), values.end(),
                     [&](const Version &known) { return same(known, value); }))
        values.push_back(value);
}

std::vector<Version> CandidateValues::pointers(uint32_t cell) const {
    std::vector<Version> values{Version{}};
    add_once(values, at_.frozen(at_.before(cell)));
    for (Object object : at_.pool())
        add_once(values, at_.pointer_to(object));
    return values;
}

Version CandidateValues::with_number(uint32_t cell, uint64_t number) const {
    const PlanField &field = at_.field_of(cell);
    unsigned bits = field.bit_size ? field.bit_size : 8 * unsigned(field.size);
    return {bits >= 64 ? number : number & ((uint64_t(1) << bits) - 1), 0, 0, none};
}

std::vector<Version> CandidateValues::numbers(uint32_t cell) const {
    const Timeline &line = at_.line();
    std::vector<Version> values;
    const PlanField &field = at_.field_of(cell);
    if (uint64_t number = at_.held(cell)->value; field.kind != FieldKind::real)
        for (uint64_t near : {number + 1, number - 1})
            add_once(values, with_number(cell, near));
    if (const Version *old = at_.before(cell))
        add_once(values, with_number(cell, old->value));
    Object object = line.owner(cell);
    for (uint32_t other = line.first_cell[object]; other < line.first_cell[object + 1]; ++other) {
        const PlanField &sister = at_.field_of(other);
        const Version *version = at_.held(other);
        if (other != cell && version && sister.kind == field.kind && sister.size == field.size)
            add_once(values, with_number(cell, version->value));
    }
    return values;
}

std::vector<Version> CandidateValues::stored(uint32_t cell) const {
    uint64_t operation = at_.held(cell)->since;
    Version now = at_.frozen(at_.held(cell));
    std::vector<Version> values = at_.holds_address(cell) ? pointers(cell) : numbers(cell);
    if (FieldKind kind = at_.field_of(cell).kind;
        kind != FieldKind::pointer && kind != FieldKind::real)
        for (uint64_t number : at_.compared_with(cell))
            for (uint64_t near : {number, number - 1, number + 1})
                add_once(values, with_number(cell, near));
    std::erase_if(values, [&](const Version &value) {
        return same(value, now) || value.target == unknown_target ||
               !at_.was_there(value, operation);
    });
    return values;
}

} // namespace heapstory::constraints
