// SPDX-License-Identifier: GPL-2.0-or-later
#include "constraints/hypotheses/decisive.h"

#include "constraints/hypotheses/fault_models.h"
#include "constraints/hypotheses/trial.h"

#include <algorithm>

namespace heapstory::constraints {

namespace {

constexpr size_t most_objects = 20'000;

} // namespace

bool can_suppose(const Timeline &line) {
    return line.objects() <= most_objects;
}

DecisiveSearch::DecisiveSearch(Checker &checker, uint64_t time, uint64_t floor,
                               const StatementOf &statement_of)
    : checker_(checker), at_(checker, time, floor, statement_of) {}

// The operations for which a hypothesis of one of the models leaves nothing wrong. A field of which
// only is known that nothing is wrong if it is left open is no answer yet: such ones go to `open`.
template <class... Models>
Decisive DecisiveSearch::test(const std::vector<Inconsistency> &found, Grade grade,
                              std::vector<uint32_t> *open, const Models &...models) const {
    Hypotheses hypotheses;
    (models.suppose(hypotheses), ...);
    Decisive decisive;
    Trial(at_, hypotheses, found).run([&](const Hypothesis &hypothesis) {
        uint32_t cell = hypothesis.revived == none ? hypothesis.changes[0].cell : none;
        if (cell != none && hypothesis.changes[0].version.target == open_target) {
            if (open)
                open->push_back(cell);
            return false;
        }
        decisive[hypothesis.operation] = {grade, cell, at_.holds_wild(cell)};
        return true;
    });
    return decisive;
}

Decisive DecisiveSearch::by_value(const std::vector<Inconsistency> &found) const {
    std::vector<uint32_t> open;
    Decisive decisive =
        test(found, Grade::value, &open, WrongValue(at_), MixedUpValues(at_), EarlyFree(at_));
    if (decisive.empty())
        decisive = test(found, Grade::value, nullptr, WrongField(at_), FarValue(at_, open));
    return decisive;
}

Decisive DecisiveSearch::run(const std::vector<Inconsistency> &found,
                             const std::vector<Fault> &faults) {
    if (!can_suppose(at_.line()) ||
        has(at_.plan(), Op::references)) // of these more is known than fields can tell
        return {};
    at_.gather(checker_.nested(), found, faults);
    Decisive decisive = by_value(found);
    if (decisive.empty() && at_.floor())
        decisive = test(found, Grade::omission, nullptr, Omission(at_));
    if (decisive.empty())
        decisive = test(found, Grade::derived, nullptr, DerivedValue(at_));
    if (decisive.empty() && at_.floor())
        decisive = test(found, Grade::followed, nullptr, FollowedPointer(at_));
    add_origins(decisive);
    return decisive;
}

// A wild pointer may have been copied: where it was stored first is as decisive.
void DecisiveSearch::add_origins(Decisive &decisive) const {
    std::map<uint64_t, std::pair<uint64_t, Decision>> wild; // by value: its first store
    for (const auto &[operation, decision] : decisive)
        if (decision.wild && at_.held(decision.cell)->target == none)
            wild.try_emplace(at_.held(decision.cell)->value, operation,
                             Decision{decision.grade, none, true});
    if (wild.empty())
        return;
    for (const Version &version : at_.line().versions)
        if (auto at = wild.find(version.value); at != wild.end() && version.since > at_.floor())
            at->second.first = std::min(at->second.first, version.since);
    for (auto &[value, first] : wild)
        decisive.insert(first);
}

} // namespace heapstory::constraints
