// SPDX-License-Identifier: GPL-2.0-or-later
#include "constraints/hypotheses/trial.h"

#include <algorithm>

namespace heapstory::constraints {

namespace {

constexpr size_t most_found = 64; // inconsistencies that are looked at one by one

} // namespace

Trial::Trial(const Situation &at, const Hypotheses &hypotheses, std::vector<Inconsistency> found)
    : plan_(at.plan()), hypotheses_(hypotheses), found_(std::move(found)),
      future_(make_future(at, hypotheses)), checker_(future_, plan_, nullptr),
      reading_(checker_, at.apart()) {
    checker_.strict = at.strict();
    found_.resize(std::min(found_.size(), most_found));
    std::stable_partition(found_.begin(), found_.end(), [&](const Inconsistency &e) {
        return !checker_.nested().is_costly(e.constraint);
    });
    untils_.assign(found_.size(), 0);
    // What depends on more than fields (texts) cannot be put to the question.
    if (std::all_of(found_.begin(), found_.end(), [&](const Inconsistency &e) {
            return checker_.nested().is_inconsistent(e, 1);
        }))
        groups_ = hypotheses.groups();
}

// Whether the hypotheses of one group change something that every inconsistency reads: one that
// reads nothing of it stays as it is, whatever is supposed.
bool Trial::all_depend(size_t first, size_t end) {
    for (size_t i = 0; i < untils_.size(); ++i) {
        if (untils_[i] < moment(first)) {
            Span span;
            checker_.nested().arguments(found_[i], moment(first) - 1, span);
            untils_[i] = span.until;
        }
        if (untils_[i] > moment(end - 1))
            return false;
    }
    return true;
}

// First what was wrong, then all that the hypothesis touches.
bool Trial::is_consistent(size_t hypothesis) {
    uint64_t at = moment(hypothesis);
    for (const Inconsistency &e : found_)
        if (checker_.nested().is_inconsistent(e, at) && reading_.counts(e, at))
            return false;
    if (!units_hold(at))
        return false;
    for (uint32_t c = 0; c < plan_.constraints.size(); ++c)
        if (GlobalConstraint *global = checker_.global(c); global && !global->holds(at))
            if (std::ranges::any_of(global->at(at),
                                    [&](const Inconsistency &e) { return reading_.counts(e, at); }))
                return false;
    return true;
}

bool Trial::units_hold(uint64_t moment) {
    while (!units_.empty() && units_.top().until <= moment) {
        Unit unit = units_.top();
        units_.pop();
        if (!holds(unit, moment))
            return false;
    }
    if (!listed_)
        list_units();
    while (!fresh_.empty()) {
        Unit unit = fresh_.back();
        fresh_.pop_back();
        if (!holds(unit, moment))
            return false;
    }
    return true;
}

void Trial::list_units() {
    listed_ = true;
    for (uint32_t c = 0; c < plan_.constraints.size(); ++c)
        if (!checker_.global(c))
            for (Object object : future_.by_type[plan_.constraints[c].variables[0].type])
                if (uint64_t birth = future_.birth[object])
                    fresh_.push_back({birth, c, object});
}

// Whether a unit violates nothing; it is put where it is to be looked at again.
bool Trial::holds(Unit unit, uint64_t moment) {
    if (!future_.alive(unit.object, moment)) {
        if (unit.until = future_.birth[unit.object]; unit.until > moment)
            units_.push(unit);
        return true;
    }
    Span span;
    bool fine = true;
    std::vector<Inconsistency> violations;
    checker_.nested().check_object(unit.constraint, unit.object, moment, span,
                                   [&](const Inconsistency &e) {
                                       violations.push_back(e);
                                       return true;
                                   });
    for (const Inconsistency &e : violations)
        fine &= !reading_.counts(e, moment);
    bool settled = violations.empty();
    unit.until = settled ? span.until : moment + 1;
    if (unit.until != forever)
        units_.push(unit);
    return fine;
}

} // namespace heapstory::constraints
