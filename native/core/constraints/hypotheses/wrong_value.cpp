// The values that a field is supposed to hold instead of its own.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "constraints/hypotheses/repair.h"

#include <algorithm>
#include <set>

namespace heapstory::constraints {

namespace {

constexpr size_t most_wide = 1024, most_wide_in_all = 16'384;

} // namespace

void Repair::add_once(std::vector<Version> &values, const Version &value) {
    if (std::none_of(values.begin(), values.end(),
                     [&](const Version &known) { return same(known, value); }))
        values.push_back(value);
}

bool Repair::holds_address(uint32_t cell) const {
    return field_of(cell).is_pointer() && field_of(cell).size == 8;
}

// A word that may be either is a number if it never led anywhere.
bool Repair::holds_number(uint32_t cell) const {
    auto versions = line_.cell(cell);
    return !holds_address(cell) ||
           (field_of(cell).kind == FieldKind::word &&
            std::all_of(versions.begin(), versions.end(), [&](const Version &version) {
                return version.since > time_ || version.target == none;
            }));
}

std::vector<Version> Repair::pointers_for(uint32_t cell) const {
    std::vector<Version> values{Version{}};
    add_once(values, frozen(before(cell)));
    for (Object object : pool_)
        add_once(values, pointer_to(object));
    return values;
}

// A cell with another number: of a bit field, only its own bits are changed.
Version Repair::with_number(uint32_t cell, uint64_t number) const {
    const PlanField &field = field_of(cell);
    auto ones = [](unsigned bits) { return bits >= 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1; };
    if (!field.bit_size)
        return {number & ones(8 * field.size), 0, 0, none};
    uint64_t own = ones(field.bit_size) << field.bit_offset;
    uint64_t rest = held(cell) ? held(cell)->value & ~own : 0;
    return {rest | (number << field.bit_offset & own), 0, 0, none};
}

uint64_t Repair::number_in(uint32_t cell, const Version &version) const {
    return version.value >> field_of(cell).bit_offset;
}

// Numbers next to it, the one before, and those of other fields of the object.
std::vector<Version> Repair::numbers_for(uint32_t cell) const {
    std::vector<Version> values;
    const PlanField &field = field_of(cell);
    if (uint64_t number = number_in(cell, *held(cell)); field.kind != FieldKind::real)
        for (uint64_t near : {number + 1, number - 1})
            add_once(values, with_number(cell, near));
    if (const Version *old = before(cell))
        add_once(values, with_number(cell, number_in(cell, *old)));
    Object object = line_.owner(cell);
    for (uint32_t other = line_.first_cell[object]; other < line_.first_cell[object + 1]; ++other) {
        const PlanField &sister = field_of(other);
        const Version *version = held(other);
        if (other != cell && version && sister.kind == field.kind && sister.size == field.size)
            add_once(values, with_number(cell, number_in(other, *version)));
    }
    return values;
}

// Other values that the last operation that wrote a field could have stored: those at hand and, for
// a number, what it is compared with and those next to that.
std::vector<Version> Repair::values_for(uint32_t cell) const {
    uint64_t operation = held(cell)->since;
    Version now = frozen(held(cell));
    std::vector<Version> values = holds_address(cell) ? pointers_for(cell) : numbers_for(cell);
    FieldKind kind = field_of(cell).kind;
    if (auto at = wanted_.find(cell);
        at != wanted_.end() && kind != FieldKind::pointer && kind != FieldKind::real)
        for (uint64_t number : at->second)
            for (uint64_t near : {number, number - 1, number + 1})
                add_once(values, with_number(cell, near));
    std::erase_if(values, [&](const Version &value) {
        return same(value, now) || value.target == unknown_target || !was_there(value, operation);
    });
    return values;
}

void Repair::suppose_values(uint32_t cell) {
    uint64_t operation = held(cell)->since;
    for (const Version &value : values_for(cell))
        suppose(operation, {{cell, value}});
    suppose(operation, {{cell, open}});
    groups_.push_back(hypotheses_.size());
}

// All objects, or the numbers that the same field of others has and those next to them; first of
// those that the inconsistencies and the writes speak of.
void Repair::suppose_widely(uint32_t cell, size_t most) {
    uint64_t operation = held(cell)->since;
    const PlanField &field = field_of(cell);
    bool pointer = holds_address(cell);
    bool number = field.kind != FieldKind::pointer;
    size_t first = hypotheses_.size();
    std::set<std::pair<uint64_t, uint32_t>> known;
    auto add = [&](const Version &value) {
        if (hypotheses_.size() - first < most && was_there(value, operation) &&
            known.emplace(value.value, value.target).second)
            suppose(operation, {{cell, value}});
    };
    Object owner = line_.owner(cell);
    uint32_t index = cell - line_.first_cell[owner];
    auto add_of = [&](Object object) {
        if (!line_.alive(object, time_))
            return;
        if (pointer)
            add(pointer_to(line_.head(object)));
        uint32_t same_field = line_.first_cell[object] + index;
        if (!number || line_.type[object] != line_.type[owner] ||
            same_field >= line_.first_cell[object + 1] || !held(same_field) ||
            held(same_field)->target != none)
            return;
        uint64_t there = number_in(cell, *held(same_field));
        add(with_number(cell, there));
        if (field.kind != FieldKind::real)
            for (uint64_t near : {there + 1, there - 1})
                add(with_number(cell, near));
    };
    if (number && field.kind != FieldKind::real)
        for (uint64_t small = 0; small < 4; ++small)
            add(with_number(cell, small));
    for (Object head : pool_)
        for (Object object = head; object < line_.objects() && line_.head(object) == head; ++object)
            add_of(object);
    for (Object object = 0; object < line_.objects(); ++object)
        add_of(object);
    groups_.push_back(hypotheses_.size());
}

void Repair::suppose_widely() {
    std::vector<uint32_t> open = std::move(open_);
    for (uint32_t cell : open)
        suppose_widely(cell, std::min(most_wide, most_wide_in_all / open.size()));
}

} // namespace heapstory::constraints
