// The part of the forward search that knows what operations leave wrong on their way.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "constraints/search/forward.h"

#include <algorithm>
#include <map>

namespace heapstory::constraints {

// Remembers what an operation that is under way has left wrong for now.
void Forward::pass(size_t point, std::vector<Inconsistency> found) {
    if (points_[point].way && points_[point].operation_end != forever)
        passing_.push_back({point, std::move(found)});
}

// What operations that ended before a moment had left wrong on their way is what such ways do.
void Forward::end_operations(uint64_t time) {
    std::erase_if(passing_, [&](const Passing &passing) {
        const CPoint &point = points_[passing.point];
        if (point.operation_end >= time)
            return false;
        ways_.insert(point.way);
        for (const Inconsistency &e : passing.found)
            usual_.emplace(point.way, e.constraint);
        return true;
    });
}

// What is always wrong here for a while is none of this place's doing, even if it stays: the end of
// the operation will show.
bool Forward::is_usual(size_t point) const {
    const CPoint &at = points_[point];
    bool goes_on = at.operation_end != forever && point + 1 < points_.size() &&
                   points_[point + 1].time <= at.operation_end;
    return goes_on && std::all_of(found_.begin(), found_.end(), [&](const Inconsistency &e) {
               return usual_.contains({at.way, e.constraint});
           });
}

// Whether it is about a block that is new in these rounds and that nothing pointed to so far. The
// compiler may delay stores to such a block beyond calls, which cannot read it.
bool Forward::is_about_new_block(const Inconsistency &e, size_t point) const {
    uint64_t time = points_[point].time;
    size_t before = point;
    while (before && points_[before - 1].is_round)
        --before;
    uint64_t since = before ? points_[before - 1].time : 0;
    return std::any_of(e.binding.begin(), e.binding.end(), [&](const Bound &bound) {
        if (bound.object == no_object || line_.birth[bound.object] <= since)
            return false;
        const auto &edges = checker_.edges().incoming(0).of(line_.head(bound.object));
        return std::ranges::none_of(edges,
                                    [&](const Incoming &edge) { return edge.since <= time; });
    });
}

// What one round left wrong and a later one did not is temporary.
void Forward::learn_from_rounds() {
    std::map<uint32_t, const Passing *> before; // by way
    for (const Passing &passing : passing_) {
        const CPoint &point = points_[passing.point];
        if (passing.point >= bad_ || !point.is_round)
            continue;
        const Passing *&last = before[point.way];
        if (last && points_[last->point].operation_end == point.operation_end)
            for (const Inconsistency &e : last->found)
                if (std::ranges::find(passing.found, e) == passing.found.end())
                    usual_.emplace(point.way, e.constraint);
        last = &passing;
    }
}

void Forward::find_unusual() {
    learn_from_rounds();
    std::set<uint32_t> rounds; // ways: what the first round left wrong is usual
    for (Passing &passing : passing_) {
        const CPoint &point = points_[passing.point];
        if (passing.point >= bad_ || point.operation_end < points_[bad_].time)
            continue;
        if (point.is_round)
            std::erase_if(passing.found, [&](const Inconsistency &e) {
                return is_about_new_block(e, passing.point);
            });
        if (point.is_round && rounds.insert(point.way).second)
            for (const Inconsistency &e : passing.found)
                usual_.emplace(point.way, e.constraint);
        if (!ways_.contains(point.way) && !rounds.contains(point.way))
            continue;
        std::erase_if(passing.found, [&](const Inconsistency &e) {
            return usual_.contains({point.way, e.constraint});
        });
        if (!passing.found.empty())
            unusual_.push_back(std::move(passing));
    }
}

} // namespace heapstory::constraints
