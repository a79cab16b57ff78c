// SPDX-License-Identifier: GPL-2.0-or-later
#include "constraints/hypotheses/repair.h"

#include <algorithm>

namespace heapstory::constraints {

namespace {

constexpr size_t most_found = 64; // inconsistencies that are looked at one by one

} // namespace

Repair::Repair(Checker &checker, uint64_t time, uint64_t floor, StatementOf statement_of)
    : checker_(checker), line_(checker.line()), plan_(checker.plan()), time_(time), floor_(floor),
      statement_of_(std::move(statement_of)) {}

Timeline Repair::future() const {
    Timeline out;
    out.blocks = line_.blocks;
    out.first_object = line_.first_object;
    out.block = line_.block;
    out.base = line_.base;
    out.type = line_.type;
    out.first_cell = line_.first_cell;
    out.by_type = line_.by_type;
    out.several_types = line_.several_types;
    out.last = moment(hypotheses_.size());
    for (Block &block : out.blocks) {
        bool alive = block.birth <= time_ && time_ < block.death;
        block.birth = alive;
        block.death = alive ? forever : 0;
    }
    std::map<uint32_t, std::vector<Version>> changes; // by cell
    for (size_t i = 0; i < hypotheses_.size(); ++i) {
        if (uint32_t block = hypotheses_[i].revived; block != none) {
            if (!out.blocks[block].birth) // all that suppose it follow each other
                out.blocks[block].birth = moment(i);
            out.blocks[block].death = moment(i) + 1;
        }
        for (const Change &change : hypotheses_[i].changes) {
            Version version = change.version, back = frozen(held(change.cell));
            version.since = moment(i);
            back.since = moment(i) + 1;
            auto &versions = changes[change.cell];
            versions.push_back(version);
            versions.push_back(back);
        }
    }
    out.birth.reserve(line_.objects());
    out.death.reserve(line_.objects());
    out.first_version.reserve(line_.first_version.size());
    out.versions.reserve(line_.first_version.size());
    auto change = changes.begin();
    for (Object object = 0; object < line_.objects(); ++object) {
        out.birth.push_back(out.blocks[out.block[object]].birth);
        out.death.push_back(out.blocks[out.block[object]].death);
        for (uint32_t cell = line_.first_cell[object]; cell < line_.first_cell[object + 1];
             ++cell) {
            if (const Version *version = out.birth[object] == 1 ? held(cell) : nullptr) {
                out.versions.push_back(frozen(version));
                out.versions.back().since = 1;
            }
            if (change != changes.end() && change->first == cell) {
                const std::vector<Version> &versions = (change++)->second;
                out.versions.insert(out.versions.end(), versions.begin(), versions.end());
            }
            out.first_version.push_back(out.versions.size());
        }
    }
    return out;
}

void Repair::begin(Checker &checker) {
    begun_ = true;
    for (uint32_t c = 0; c < plan_.constraints.size(); ++c)
        if (!checker.whole(c))
            for (Object object : line_.by_type[plan_.constraints[c].variables[0].type])
                if (uint64_t birth = checker.line().birth[object])
                    fresh_.push_back({birth, c, object});
}

// Whether a unit violates nothing; it is put where it is to be looked at again.
bool Repair::is_fine(Checker &checker, Unit unit, uint64_t at) {
    if (!checker.line().alive(unit.object, at)) {
        if (unit.until = checker.line().birth[unit.object]; unit.until > at)
            units_.push(unit);
        return true;
    }
    Span span;
    bool fine = true;
    checker.judge().check_object(unit.constraint, unit.object, at, span,
                                 [&](const Inconsistency &) { return fine = false; });
    unit.until = fine ? span.until : at + 1;
    if (unit.until != forever)
        units_.push(unit);
    return fine;
}

// Whether the hypotheses of one group change something that every inconsistency reads: one that
// reads nothing of it stays as it is, whatever is supposed.
bool Repair::all_depend(Checker &checker, const std::vector<Inconsistency> &found,
                        std::vector<uint64_t> &untils, size_t first, size_t end) {
    for (size_t i = 0; i < untils.size(); ++i) {
        if (untils[i] < moment(first)) {
            Span span;
            checker.judge().arguments(found[i], moment(first) - 1, span);
            untils[i] = span.until;
        }
        if (untils[i] > moment(end - 1))
            return false;
    }
    return true;
}

// Whether nothing is wrong: first what was, then all that the hypothesis touches.
bool Repair::is_whole(Checker &checker, size_t hypothesis,
                      const std::vector<Inconsistency> &found) {
    uint64_t at = moment(hypothesis);
    for (const Inconsistency &e : found)
        if (checker.judge().is_inconsistent(e, at))
            return false;
    while (!units_.empty() && units_.top().until <= at) {
        Unit unit = units_.top();
        units_.pop();
        if (!is_fine(checker, unit, at))
            return false;
    }
    if (!begun_)
        begin(checker);
    while (!fresh_.empty()) {
        Unit unit = fresh_.back();
        fresh_.pop_back();
        if (!is_fine(checker, unit, at))
            return false;
    }
    for (uint32_t c = 0; c < plan_.constraints.size(); ++c)
        if (Whole *whole = checker.whole(c); whole && !whole->holds(at))
            return false;
    return true;
}

// The operations of the hypotheses with which nothing is wrong. A field of which only is known that
// nothing is wrong if it is left open is no answer yet: such ones are kept in `open_`.
Repair::Decisive Repair::ask(std::vector<Inconsistency> found, Grade grade) {
    Decisive decisive;
    Timeline future = this->future();
    Checker checker(future, plan_, nullptr);
    found.resize(std::min(found.size(), most_found));
    std::stable_partition(found.begin(), found.end(), [&](const Inconsistency &e) {
        return !checker.judge().is_costly(e.constraint);
    });
    // What depends on more than fields (texts) cannot be put to the question.
    if (!std::all_of(found.begin(), found.end(),
                     [&](const Inconsistency &e) { return checker.judge().is_inconsistent(e, 1); }))
        groups_.clear();
    std::vector<uint64_t> untils(found.size(), 0);
    size_t i = 0;
    for (size_t end : groups_) {
        if (i == end || !all_depend(checker, found, untils, i, end)) {
            i = end;
            continue;
        }
        for (; i < end; ++i) {
            const Hypothesis &hypothesis = hypotheses_[i];
            if (decisive.contains(hypothesis.operation) || !is_whole(checker, i, found))
                continue;
            if (hypothesis.only_open) {
                i = end;
                break;
            }
            uint32_t cell = hypothesis.revived == none ? hypothesis.changes[0].cell : none;
            if (cell != none && hypothesis.changes[0].version.target == open_target)
                open_.push_back(cell);
            else
                decisive[hypothesis.operation] = {grade, cell, is_unsafe(cell)};
        }
    }
    hypotheses_.clear();
    groups_.clear();
    fresh_.clear();
    begun_ = false;
    units_ = {};
    return decisive;
}

// An address that is nobody's may have been copied: where it was stored first is as decisive.
void Repair::add_origins(Decisive &decisive) const {
    std::map<uint64_t, std::pair<uint64_t, Decision>> wild; // by value: its first store
    for (const auto &[operation, decision] : decisive)
        if (decision.unsafe && held(decision.cell)->target == none)
            wild.try_emplace(held(decision.cell)->value, operation,
                             Decision{decision.grade, none, true});
    if (wild.empty())
        return;
    for (const Version &version : line_.versions)
        if (auto at = wild.find(version.value); at != wild.end() && version.since > floor_)
            at->second.first = std::min(at->second.first, version.since);
    for (auto &[value, first] : wild)
        decisive.insert(first);
}

Repair::Decisive Repair::run(const std::vector<Inconsistency> &found,
                             const std::vector<Fault> &faults) {
    if (!asks(line_) || has(plan_, Op::references)) // of these more is known than fields can tell
        return {};
    std::vector<uint64_t> suspects;
    for (const Fault &fault : faults)
        suspects.push_back(fault.time);
    std::sort(suspects.begin(), suspects.end());
    gather_cells(suspects);
    gather_wanted(found);
    gather_pool(found);
    suppose_at_hand();
    Decisive decisive = ask(found, Grade::value);
    if (decisive.empty()) {
        suppose_misplaced();
        suppose_widely();
        decisive = ask(found, Grade::value);
    }
    if (decisive.empty() && floor_) {
        suppose_omissions();
        decisive = ask(found, Grade::omission);
    }
    if (decisive.empty()) {
        suppose_derived();
        decisive = ask(found, Grade::derived);
    }
    if (decisive.empty() && floor_) {
        suppose_followed();
        decisive = ask(found, Grade::followed);
    }
    add_origins(decisive);
    return decisive;
}

} // namespace heapstory::constraints
