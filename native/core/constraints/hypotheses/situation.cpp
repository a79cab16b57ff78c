// SPDX-License-Identifier: GPL-2.0-or-later
#include "constraints/hypotheses/situation.h"

#include "constraints/search/reading.h"

#include <algorithm>

namespace heapstory::constraints {

namespace {

constexpr size_t most_cells = 64, most_pool = 32, most_compared = 64;
constexpr uint64_t first_page = 4096;

} // namespace

Situation::Situation(const Checker &checker, uint64_t time, uint64_t floor,
                     StatementOf statement_of)
    : line_(checker.line()), plan_(checker.plan()), time_(time), floor_(floor),
      strict_(checker.strict),
      were_apart_(floor && !strict_ ? all_apart(checker, floor) : std::vector<uint8_t>()),
      apart_(strict_ ? std::vector<uint8_t>() : all_apart(checker, time)),
      statement_of_(std::move(statement_of)) {}

void Situation::gather(NestedChecker &nested, const std::vector<Inconsistency> &found,
                       const std::vector<Fault> &faults) {
    std::vector<uint64_t> suspects;
    for (const Fault &fault : faults)
        suspects.push_back(fault.time);
    std::sort(suspects.begin(), suspects.end());
    gather_cells(suspects);
    gather_deaths();
    gather_numbers(nested, found);
    gather_pool(found);
}

void Situation::gather_cells(const std::vector<uint64_t> &suspects) {
    std::vector<uint32_t> others;
    for (Object object = 0; object < line_.objects(); ++object) {
        if (!line_.alive(object, time_))
            continue;
        const uint64_t floor = floor_of(object);
        uint64_t last = line_.birth[object] > floor ? line_.birth[object] : 0;
        for (uint32_t cell = line_.first_cell[object]; cell < line_.first_cell[object + 1];
             ++cell) {
            const Version *version = held(cell);
            if (!version || version->since <= floor)
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
}

// Nothing was known of what did not belong to the structure: a new node, made by a function that
// had returned.
uint64_t Situation::floor_of(Object object) const {
    const Object head = line_.head(object);
    if (head >= were_apart_.size() || !were_apart_[head] || !line_.birth[object])
        return floor_;
    return std::min(floor_, line_.birth[object] - 1);
}

void Situation::gather_deaths() {
    for (uint32_t block = 0; block + 1 < line_.first_object.size(); ++block)
        if (line_.blocks[block].death > floor_ && line_.blocks[block].death <= time_)
            deaths_.push_back(block);
    std::sort(deaths_.begin(), deaths_.end(), [&](uint32_t a, uint32_t b) {
        return line_.blocks[a].death > line_.blocks[b].death;
    });
}

void Situation::gather_numbers(NestedChecker &nested, const std::vector<Inconsistency> &found) {
    for (size_t i = 0; i < std::min(found.size(), most_compared); ++i)
        nested.wanted(found[i], time_, [&](uint32_t cell, Integer number) {
            compared_[cell].insert(uint64_t(number));
        });
}

void Situation::add_to_pool(Object object) {
    if (object < line_.objects() && line_.alive(object, time_) && pool_.size() < most_pool) {
        Object head = line_.head(object);
        if (std::find(pool_.begin(), pool_.end(), head) == pool_.end())
            pool_.push_back(head);
    }
}

// Objects of the inconsistencies, those that were written, and what freed ones led to.
void Situation::gather_pool(const std::vector<Inconsistency> &found) {
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

uint64_t Situation::last_written(Object head) const {
    auto at = written_.find(head);
    return at == written_.end() ? 0 : at->second;
}

const std::set<uint64_t> &Situation::compared_with(uint32_t cell) const {
    static const std::set<uint64_t> none_at_all;
    auto at = compared_.find(cell);
    return at == compared_.end() ? none_at_all : at->second;
}

const PlanField &Situation::field_of(uint32_t cell) const {
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

bool Situation::holds_address(uint32_t cell) const {
    return field_of(cell).is_pointer() && field_of(cell).size == 8;
}

// A word that may be either is a number if it never led anywhere.
bool Situation::holds_number(uint32_t cell) const {
    auto versions = line_.cell(cell);
    return !holds_address(cell) ||
           (field_of(cell).kind == FieldKind::word &&
            std::all_of(versions.begin(), versions.end(), [&](const Version &version) {
                return version.since > time_ || version.target == none;
            }));
}

// A word that may be either is a number where nothing is ever mapped.
bool Situation::holds_wild(uint32_t cell) const {
    const Version *version = cell == none ? nullptr : held(cell);
    if (!version || !version->value || frozen(version).target != none)
        return false;
    const PlanField &field = field_of(cell);
    return field.is_pointer() && (field.kind == FieldKind::pointer || version->value >= first_page);
}

const Version *Situation::before(uint32_t cell) const {
    auto versions = line_.cell(cell);
    auto after = std::partition_point(versions.begin(), versions.end(),
                                      [&](const Version &v) { return v.since <= time_; });
    return after - versions.begin() > 1 ? &after[-2] : nullptr;
}

bool Situation::was_there(const Version &value, uint64_t operation) const {
    uint32_t block = line_.block_of(value);
    return block == none || line_.blocks[block].birth <= operation;
}

Version Situation::frozen(const Version *version) const {
    if (!version)
        return Hypotheses::unknown;
    Version out = *version;
    uint32_t block = line_.block_of(out);
    bool gone = out.target < line_.objects() ? !line_.alive(out.target, time_)
                                             : block != none && line_.blocks[block].death <= time_;
    if (gone)
        out.target = none;
    return out;
}

Version Situation::pointer_to(Object object) const {
    return {line_.address(object), 0, 0, line_.head(object)};
}

} // namespace heapstory::constraints
