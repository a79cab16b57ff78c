// The hypotheses: which fields could have held something else, and what.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "constraints/hypotheses/repair.h"

#include <algorithm>

namespace heapstory::constraints {

namespace {

constexpr size_t most_cells = 64, most_deaths = 16, most_pool = 32, most_compared = 64;
constexpr size_t most_joint = 4; // fields that one statement wrote at once
constexpr uint64_t first_page = 4096;

} // namespace

const PlanField &Repair::field_of(uint32_t cell) const {
    Object object = line_.owner(cell);
    const PlanType &type = plan_.types[line_.type[object]];
    size_t index = cell - line_.first_cell[object];
    if (index < type.fields.size())
        return type.fields[index];
    index -= type.fields.size();
    size_t run = 0;
    for (; run + 1 < type.runs.size() && index >= type.runs[run].count.value_or(forever); ++run)
        index -= *type.runs[run].count;
    return type.runs[run].field;
}

// A version as part of the future: what was freed by the C-point is nobody's.
Version Repair::frozen(const Version *version) const {
    if (!version)
        return unknown;
    Version out = *version;
    uint32_t block = line_.block_of(out);
    bool gone = out.target < line_.objects() ? !line_.alive(out.target, time_)
                                             : block != none && line_.blocks[block].death <= time_;
    if (gone)
        out.target = none;
    return out;
}

// A word that may be either is a number where nothing is ever mapped.
bool Repair::is_unsafe(uint32_t cell) const {
    const Version *version = cell == none ? nullptr : held(cell);
    if (!version || !version->value || frozen(version).target != none)
        return false;
    const PlanField &field = field_of(cell);
    return field.is_pointer() && (field.kind == FieldKind::pointer || version->value >= first_page);
}

Version Repair::pointer_to(Object object) const {
    return {line_.address(object), 0, 0, line_.head(object)};
}

// What the field held before its last write.
const Version *Repair::before(uint32_t cell) const {
    auto versions = line_.cell(cell);
    auto after = std::partition_point(versions.begin(), versions.end(),
                                      [&](const Version &v) { return v.since <= time_; });
    return after - versions.begin() > 1 ? &after[-2] : nullptr;
}

void Repair::gather_cells(const std::vector<uint64_t> &suspects) {
    std::vector<uint32_t> others;
    for (Object object = 0; object < line_.objects(); ++object) {
        if (!line_.alive(object, time_))
            continue;
        uint64_t last = line_.birth[object] > floor_ ? line_.birth[object] : 0;
        for (uint32_t cell = line_.first_cell[object]; cell < line_.first_cell[object + 1];
             ++cell) {
            const Version *version = held(cell);
            if (!version || version->since <= floor_)
                continue;
            last = std::max(last, version->since);
            bool asked = std::binary_search(suspects.begin(), suspects.end(), version->since);
            (asked ? cells_ : others).push_back(cell);
        }
        if (last) {
            auto at = written_.try_emplace(written_.end(), line_.head(object), 0);
            at->second = std::max(at->second, last);
        }
    }
    if (cells_.size() + others.size() <= most_cells)
        cells_.insert(cells_.end(), others.begin(), others.end());
    std::stable_sort(cells_.begin(), cells_.end(),
                     [&](uint32_t a, uint32_t b) { return held(a)->since > held(b)->since; });
    cells_.resize(std::min(cells_.size(), most_cells));
    std::reverse(cells_.begin(), cells_.end());
    for (uint32_t block = 0; block + 1 < line_.first_object.size(); ++block)
        if (line_.blocks[block].death > floor_ && line_.blocks[block].death <= time_)
            deaths_.push_back(block);
    std::sort(deaths_.begin(), deaths_.end(), [&](uint32_t a, uint32_t b) {
        return line_.blocks[a].death > line_.blocks[b].death;
    });
}

void Repair::gather_wanted(const std::vector<Inconsistency> &found) {
    for (size_t i = 0; i < std::min(found.size(), most_compared); ++i)
        checker_.judge().wanted(found[i], time_, [&](uint32_t cell, Integer number) {
            wanted_[cell].insert(uint64_t(number));
        });
}

void Repair::add_to_pool(Object object) {
    if (object < line_.objects() && line_.alive(object, time_) && pool_.size() < most_pool) {
        Object head = line_.head(object);
        if (std::find(pool_.begin(), pool_.end(), head) == pool_.end())
            pool_.push_back(head);
    }
}

// Objects of the inconsistencies, those that were written, and what freed ones led to.
void Repair::gather_pool(const std::vector<Inconsistency> &found) {
    for (const Inconsistency &e : found)
        for (const Bound &bound : e.binding)
            add_to_pool(bound.object);
    for (uint32_t cell : cells_)
        add_to_pool(line_.owner(cell));
    for (uint32_t block : deaths_)
        for (Object object = line_.first_object[block]; object < line_.first_object[block + 1];
             ++object)
            for (uint32_t cell = line_.first_cell[object]; cell < line_.first_cell[object + 1];
                 ++cell)
                if (auto versions = line_.cell(cell); !versions.empty())
                    add_to_pool(versions.back().target);
}

// An operation can only have stored a pointer to what was there by then.
bool Repair::was_there(const Version &value, uint64_t operation) const {
    uint32_t block = line_.block_of(value);
    return block == none || line_.blocks[block].birth <= operation;
}

void Repair::suppose(uint64_t operation, std::vector<Change> changes) {
    hypotheses_.push_back({operation, std::move(changes), none, false});
}

// Fields that one statement wrote right after each other: each may have been meant for another.
void Repair::suppose_statement(const std::vector<uint32_t> &cells) {
    uint64_t operation = held(cells[0])->since;
    std::vector<Version> values;
    for (uint32_t cell : cells) {
        add_once(values, frozen(held(cell)));
        if (const Version *old = before(cell))
            add_once(values, frozen(old));
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
            if (!same(value, frozen(held(cell))))
                changes.push_back({cell, value});
        }
        bool possible = std::all_of(changes.begin(), changes.end(), [&](const Change &change) {
            return was_there(change.version, operation);
        });
        if (changes.size() > 1 && possible)
            suppose(operation, std::move(changes));
    }
    groups_.push_back(hypotheses_.size());
}

void Repair::suppose_statements() {
    for (size_t first = 0, end = 0; first < cells_.size(); first = end) {
        uint64_t statement = statement_of_(held(cells_[first])->site);
        for (end = first + 1; end < cells_.size(); ++end)
            if (statement_of_(held(cells_[end])->site) != statement)
                break;
        if (end - first > 1 && end - first <= most_joint)
            suppose_statement(
                {cells_.begin() + std::ptrdiff_t(first), cells_.begin() + std::ptrdiff_t(end)});
    }
}

// What an operation stored may have been meant for another field of the same object; its own then
// holds what it held before, or what the other one holds.
void Repair::suppose_misplaced() {
    for (uint32_t cell : cells_) {
        Object object = line_.owner(cell);
        Version now = frozen(held(cell)), old = frozen(before(cell));
        for (uint32_t other = line_.first_cell[object]; other < line_.first_cell[object + 1];
             ++other) {
            Version there = frozen(held(other));
            if (other == cell || field_of(other).kind != field_of(cell).kind || same(now, there))
                continue;
            for (const Version &left : {old, there})
                if (left.target != unknown_target && !same(left, now))
                    suppose(held(cell)->since, {{cell, left}, {other, now}});
        }
        groups_.push_back(hypotheses_.size());
    }
}

// Where the rest of the operation read what was stored and computed by it: the numbers that were
// written after it are left open. That alone must not be enough.
void Repair::suppose_derived() {
    for (uint32_t cell : cells_) {
        uint64_t operation = held(cell)->since;
        std::vector<Change> derived;
        for (uint32_t later : cells_)
            if (held(later)->since > operation && was_stored(later) && holds_number(later))
                derived.push_back({later, open});
        if (derived.empty() || !was_stored(cell))
            continue;
        hypotheses_.push_back({operation, derived, none, true});
        for (const Version &value : values_for(cell)) {
            std::vector<Change> changes{{cell, value}};
            changes.insert(changes.end(), derived.begin(), derived.end());
            suppose(operation, std::move(changes));
        }
        groups_.push_back(hypotheses_.size());
    }
}

// A field that was not written, or not since the object was made that it should lead to: the write
// may have been forgotten. The last one of its object stands for it, or where nothing of that was
// written, that of the object it should lead to.
void Repair::suppose_omission(uint32_t cell, uint64_t last) {
    const Version *version = held(cell);
    Version now = frozen(version);
    std::vector<Version> values;
    if (holds_address(cell))
        values = pointers_for(cell);
    else if (version)
        values = numbers_for(cell);
    for (const Version &value : values) {
        if (same(value, now) || value.target == unknown_target)
            continue;
        if (version && version->since > floor_ && was_there(value, version->since))
            continue;
        uint64_t operation = last;
        if (auto at = written_.find(value.target); !last && at != written_.end())
            operation = at->second;
        if (operation)
            suppose(operation, {{cell, value}});
    }
}

void Repair::suppose_omissions() {
    for (Object head : pool_) {
        auto at = written_.find(head);
        for (Object object = head; object < line_.objects() && line_.head(object) == head; ++object)
            for (uint32_t cell = line_.first_cell[object]; cell < line_.first_cell[object + 1];
                 ++cell) {
                suppose_omission(cell, at == written_.end() ? 0 : at->second);
                groups_.push_back(hypotheses_.size());
            }
    }
}

void Repair::suppose_at_hand() {
    for (uint32_t cell : cells_)
        suppose_values(cell);
    suppose_statements();
    std::span dead(deaths_.data(), std::min(deaths_.size(), most_deaths));
    if (dead.empty())
        return;
    std::vector<uint32_t> leading = cells_into(dead);
    for (uint32_t block : dead)
        suppose_revived(block, leading);
}

} // namespace heapstory::constraints
