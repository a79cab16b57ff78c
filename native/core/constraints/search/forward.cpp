// SPDX-License-Identifier: GPL-2.0-or-later
#include "constraints/search/forward.h"

namespace heapstory::constraints {

Forward::Forward(Checker &checker, const std::vector<CPoint> &points)
    : checker_(checker), line_(checker.line()), plan_(checker.plan()), points_(points),
      reading_(checker) {
    head_.assign(points.size(), none);
    due_.assign(points.size(), 0);
    many_.assign(points.size(), false);
    std::vector<std::vector<uint32_t>> nested(plan_.types.size());
    for (uint32_t c = 0; c < plan_.constraints.size(); ++c)
        if (checker.global(c))
            globals_.push_back({c});
        else
            nested[plan_.constraints[c].variables[0].type].push_back(c);
    for (uint32_t type = 0; type < nested.size(); ++type)
        if (!nested[type].empty()) {
            uint32_t end = units_ + uint32_t(line_.by_type[type].size() * nested[type].size());
            groups_.push_back({units_, end, &line_.by_type[type], nested[type]});
            units_ = end;
        }
    known_ = Zeroed<uint64_t>(units_);
    schedule_births();
}

void Forward::schedule_births() {
    std::vector<uint32_t> born(points_.size());
    for (const Group &group : groups_)
        for (Object object : *group.objects)
            if (size_t point = point_at(line_.birth[object], 0); point < points_.size())
                born[point] += uint32_t(group.constraints.size());
    for (size_t point = 0; point < points_.size(); ++point)
        if (is_many(born[point])) {
            many_[point] = true;
            due_[point] = born[point];
        }
    for (const Group &group : groups_) {
        uint32_t unit = group.first, width = uint32_t(group.constraints.size());
        for (Object object : *group.objects) {
            size_t point = point_at(line_.birth[object], 0);
            for (uint32_t end = unit + width; unit < end; ++unit)
                if (point < points_.size() && !many_[point])
                    schedule(unit, point);
        }
    }
}

Unit Forward::unit_of(uint32_t number) const {
    auto group = groups_.begin();
    while (number >= group->end)
        ++group;
    uint32_t width = uint32_t(group->constraints.size()), at = number - group->first;
    return {group->constraints[at % width], (*group->objects)[at / width]};
}

bool Forward::applies(size_t point, uint32_t constraint) const {
    const auto &types = points_[point].types;
    if (types.empty())
        return true;
    for (const PlanVariable &variable : plan_.constraints[constraint].variables)
        if (std::find(types.begin(), types.end(), variable.type) != types.end())
            return true;
    return false;
}

size_t Forward::point_at(uint64_t time, size_t from) const {
    auto at =
        std::partition_point(points_.begin() + std::ptrdiff_t(std::min(from, points_.size())),
                             points_.end(), [&](const CPoint &point) { return point.time < time; });
    return size_t(at - points_.begin());
}

void Forward::schedule(uint32_t unit, size_t point) {
    if (point == points_.size())
        return;
    if (next_.empty())
        next_.assign(units_, none);
    next_[unit] = head_[point];
    head_[point] = unit;
    ++due_[point];
}

bool Forward::check_units(size_t point) {
    uint64_t time = points_[point].time;
    size_t before = found_.size();
    NestedChecker::Found add = [&](Inconsistency e) {
        found_.push_back(std::move(e));
        return true;
    };
    evaluations_ += due_[point];
    for (uint32_t unit = head_[point], next; unit != none; unit = next) {
        next = next_[unit];
        auto [c, object] = unit_of(unit);
        if (!line_.alive(object, time))
            continue;
        Span span{0, time + 1};
        if (applies(point, c)) {
            span = {};
            checker_.nested().check_object(c, object, time, span, add);
            known_[unit] = ~span.since;
        }
        schedule(unit, point_at(span.until, point + 1));
    }
    return found_.size() > before;
}

// Nearly everything is due.
bool Forward::check_all(size_t point) {
    line_.lay_out(points_[point].time);
    bool goes_on = point + 1 < points_.size(), global = false;
    Zeroed<uint8_t> listed;
    if (head_[point] != none)
        listed = Zeroed<uint8_t>(units_);
    for (uint32_t unit = head_[point]; unit != none; unit = next_[unit])
        listed[unit] = 1;
    Zeroed<uint64_t> until(goes_on ? units_ : 0);
    Sweep::Units units;
    units.listed = listed.data();
    units.known = known_.data();
    units.until = until.data();
    if (many_[point])
        units.from = point ? points_[point - 1].time + 1 : 0;
    for (uint32_t c = 0; c < plan_.constraints.size(); ++c)
        units.applies.push_back(applies(point, c));
    Sweep sweep(checker_, groups_, points_[point].time, std::move(units));
    sweep.run(due_[point] <= most_alone, [&] { global = check_globals(point); });
    found_.insert(found_.end(), sweep.found.begin(), sweep.found.end());
    evaluations_ += due_[point];
    for (uint32_t unit = 0; unit < until.size(); ++unit)
        if (until[unit])
            schedule(unit, point_at(until[unit], point + 1));
    return global || !sweep.found.empty();
}

bool Forward::check_point(size_t point) {
    if (is_many(due_[point]))
        return check_all(point);
    bool units = check_units(point), global = check_globals(point);
    return units || global;
}

bool Forward::check_globals(size_t point) {
    for (GlobalState &state : globals_) {
        if (state.sampled || !applies(point, state.constraint))
            continue;
        GlobalConstraint &global = *checker_.global(state.constraint);
        ++evaluations_;
        if (global.at(points_[point].time).empty())
            state.clean = point;
        else
            bad_globals_.push_back(state.constraint);
        if (global.work() > most_work && point + 1 < points_.size()) {
            state.sampled = true;
            exact_ = false;
        }
    }
    return !bad_globals_.empty();
}

bool Forward::is_bad_for_good(uint32_t constraint, size_t point) {
    ++evaluations_;
    if (!applies(point, constraint) || checker_.check(constraint, points_[point].time).empty())
        return false;
    found_.clear();
    bad_globals_ = {constraint};
    gather_found(point);
    std::erase_if(found_, [&](const Inconsistency &e) { return !is_counted(e, point); });
    return !found_.empty() && counts(point);
}

// The first bad C-point after a clean one, among a sample up to `end` and what lies between.
size_t Forward::bisect(uint32_t constraint, size_t clean, size_t end) {
    size_t step = std::max<size_t>(1, (end - clean) / samples), low = clean, high = clean;
    while (high != end) {
        high = std::min(high + step, end);
        if (is_bad_for_good(constraint, high))
            break;
        low = high;
    }
    if (low == high)
        return no_point;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        (is_bad_for_good(constraint, middle) ? high : low) = middle;
    }
    return high;
}

bool Forward::is_used(uint64_t time) const {
    for (uint32_t type = 0; type < plan_.types.size(); ++type)
        if (!plan_.types[type].implied)
            for (Object object : line_.by_type[type])
                if (line_.alive(object, time))
                    return true;
    return false;
}

// Leaves out what the operation that was under way fixed before it ended. (Destroying the whole
// structure fixes nothing.)
bool Forward::counts(size_t point) {
    uint64_t end = points_[point].operation_end;
    if (end == forever || end <= points_[point].time || !is_used(end))
        return true;
    std::erase_if(
        found_, [&](const Inconsistency &e) { return !checker_.nested().is_inconsistent(e, end); });
    return !found_.empty();
}

// Whether it is about the structure, and nobody is busy with that.
bool Forward::is_counted(const Inconsistency &e, size_t point) {
    uint64_t time = points_[point].time;
    if (!reading_.counts(e, time))
        return false;
    if (points_[point].busy.empty())
        return true;
    Span span;
    checker_.nested().arguments(e, time, span);
    return std::ranges::none_of(points_[point].busy, [&](const auto &run) {
        return run.first < span.since && span.since <= run.second;
    });
}

// What does not count here may count at a later C-point, without having changed itself.
void Forward::leave_out(size_t point) {
    uint64_t time = points_[point].time;
    for (const Inconsistency &e : left_out_)
        if (std::find(found_.begin(), found_.end(), e) == found_.end() &&
            checker_.nested().is_inconsistent(e, time))
            found_.push_back(e);
    left_out_.clear();
    std::erase_if(found_, [&](const Inconsistency &e) {
        if (is_counted(e, point))
            return false;
        if (!checker_.global(e.constraint))
            left_out_.push_back(e);
        return true;
    });
    if (!left_out_.empty())
        usually_bad_.insert(point);
    if (found_.empty())
        bad_globals_.clear();
}

// All inconsistencies of a bad C-point; check_units has found those of the nested constraints.
void Forward::gather_found(size_t point) {
    for (uint32_t constraint : bad_globals_)
        for (Inconsistency &e : checker_.check(constraint, points_[point].time))
            found_.push_back(std::move(e));
    std::stable_sort(
        found_.begin(), found_.end(), [](const Inconsistency &a, const Inconsistency &b) {
            if (a.constraint != b.constraint)
                return a.constraint < b.constraint;
            return std::lexicographical_compare(
                a.binding.begin(), a.binding.end(), b.binding.begin(), b.binding.end(),
                [](const Bound &x, const Bound &y) {
                    return x.object != y.object ? x.object < y.object : x.number < y.number;
                });
        });
}

size_t Forward::run() {
    for (size_t point = 0; point < points_.size() && bad_ == no_point; ++point) {
        end_operations(points_[point].time);
        if (check_point(point))
            gather_found(point);
        leave_out(point);
        if (found_.empty()) {
            pass(point, {});
            continue;
        }
        std::vector<Inconsistency> found = found_;
        bool lasts = counts(point);
        if (lasts && !is_usual(point)) {
            bad_ = point;
        } else {
            if (lasts)
                usually_bad_.insert(point);
            pass(point, std::move(found));
            found_.clear();
            bad_globals_.clear();
        }
    }
    for (const GlobalState &global : globals_) {
        if (!global.sampled)
            continue;
        size_t end = bad_ == no_point ? points_.size() - 1 : bad_;
        size_t clean = global.clean == no_point ? 0 : global.clean;
        auto found = std::move(found_);
        auto bad_globals = std::move(bad_globals_);
        size_t first = bisect(global.constraint, clean, end);
        found_ = std::move(found);
        bad_globals_ = std::move(bad_globals);
        if (first == no_point || first == bad_)
            continue;
        bad_ = first;
        found_.clear();
        bad_globals_.clear();
        for (uint32_t c = 0; c < plan_.constraints.size(); ++c)
            if (applies(bad_, c))
                bad_globals_.push_back(c);
        gather_found(bad_);
        std::erase_if(found_, [&](const Inconsistency &e) { return !is_counted(e, bad_); });
    }
    if (bad_ != no_point)
        find_unusual();
    return bad_;
}

size_t Forward::last_clean() const {
    size_t end = bad_ == no_point ? points_.size() : bad_;
    while (end > 0 && (!points_[end - 1].types.empty() || usually_bad_.contains(end - 1)))
        --end;
    return end ? end - 1 : no_point;
}

} // namespace heapstory::constraints
