// SPDX-License-Identifier: GPL-2.0-or-later
#include "check/forward.h"

namespace heapstory::check {

Forward::Forward(Checker &checker, const std::vector<CPoint> &points)
    : checker_(checker), line_(checker.line()), plan_(checker.plan()), points_(points) {
    head_.assign(points.size(), none);
    changes_.resize(plan_.edge_sets.size());
    uint32_t units = 0;
    for (uint32_t c = 0; c < plan_.constraints.size(); ++c) {
        first_unit_.push_back(none);
        if (checker.is_nested(c)) {
            first_unit_[c] = units;
            units += uint32_t(objects_of(c).size());
        } else {
            Whole whole;
            whole.constraint = c;
            wholes_.push_back(whole);
        }
    }
    next_.assign(units, none);
    since_.assign(units, unseen);
    for (uint32_t c = 0; c < plan_.constraints.size(); ++c)
        if (first_unit_[c] != none)
            for (uint32_t i = uint32_t(objects_of(c).size()); i-- > 0;)
                schedule(first_unit_[c] + i, line_.birth[objects_of(c)[i]], 0);
}

const std::vector<Object> &Forward::objects_of(uint32_t constraint) const {
    return line_.by_type[plan_.constraints[constraint].variables[0].type];
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

void Forward::schedule(uint32_t unit, uint64_t time, size_t from) {
    size_t point = point_at(time, from);
    if (point == points_.size())
        return;
    next_[unit] = head_[point];
    head_[point] = unit;
}

bool Forward::check_units(size_t point) {
    bool bad = false;
    uint64_t time = points_[point].time;
    uint32_t c = 0;
    for (uint32_t unit = head_[point], next; unit != none; unit = next) {
        next = next_[unit];
        if (first_unit_[c] == none || unit < first_unit_[c] ||
            unit - first_unit_[c] >= objects_of(c).size())
            for (c = uint32_t(plan_.constraints.size()) - 1;
                 first_unit_[c] == none || first_unit_[c] > unit;)
                --c;
        Object object = objects_of(c)[unit - first_unit_[c]];
        if (!line_.alive(object, time))
            continue;
        if (!applies(point, c)) {
            schedule(unit, time, point + 1);
            continue;
        }
        Span span;
        size_t before = found_.size();
        checker_.check_object(c, object, time, span, [&](Inconsistency e) {
            found_.push_back(std::move(e));
            return true;
        });
        ++evaluations_;
        since_[unit] = span.since;
        bad |= found_.size() > before;
        schedule(unit, span.until, point + 1);
    }
    return bad;
}

void Forward::gather_changes(uint32_t set) {
    auto &changes = changes_[set];
    for (Object object = 0; object < line_.objects(); ++object)
        if (checker_.edges().in_set(set, line_.type[object]))
            checker_.edges().cells(object, set, [&](uint32_t cell) {
                for (const Version &version : line_.cell(cell))
                    if (version.target < line_.objects())
                        changes.push_back({version.since, cell});
            });
    std::sort(changes.begin(), changes.end(),
              [](const Change &a, const Change &b) { return a.time < b.time; });
    changes.push_back({forever, 0});
}

// Only edges that are new since the last C-point can close a cycle.
bool Forward::check_acyclic(uint32_t number, size_t point) {
    Whole &whole = wholes_[number];
    uint32_t set = plan_.constraints[whole.constraint].shape.edges;
    auto &changes = changes_[set];
    if (changes.empty())
        gather_changes(set);
    uint64_t time = points_[point].time;
    size_t from = whole.next_change, end = from;
    while (changes[end].time <= time)
        ++end;
    whole.next_change = end;
    whole.due = point_at(changes[end].time, point + 1);
    bool bad = false;
    if (whole.doubtful || end - from > 100 + line_.objects() / 16) {
        Span span;
        bad = is_bad(whole.constraint, point, span);
        whole.work += line_.objects();
    } else {
        Span unused;
        for (size_t i = from; i < end && !bad; ++i) {
            Object target = checker_.edges().target(changes[i].cell, time, unused);
            auto after =
                std::upper_bound(line_.first_cell.begin(), line_.first_cell.end(), changes[i].cell);
            Object source = line_.head(Object(after - line_.first_cell.begin()) - 1);
            bad = target != no_object && line_.alive(source, time) &&
                  checker_.edges().counts(set, target) &&
                  checker_.closes_cycle(source, target, set, time);
        }
    }
    return bad;
}

bool Forward::is_bad(uint32_t constraint, size_t point, Span &span) {
    bool bad = false;
    ++evaluations_;
    checker_.check(constraint, points_[point].time, span, [&](const Inconsistency &) {
        bad = true;
        return false;
    });
    return bad;
}

bool Forward::check_whole(size_t point) {
    for (uint32_t i = 0; i < wholes_.size(); ++i) {
        Whole &whole = wholes_[i];
        if (whole.sampled || whole.due > point)
            continue;
        if (!applies(point, whole.constraint)) {
            whole.due = point + 1;
            continue;
        }
        bool bad = false;
        if (plan_.constraints[whole.constraint].shape.kind == ShapeKind::acyclic) {
            bad = check_acyclic(i, point);
        } else {
            Span span;
            bad = is_bad(whole.constraint, point, span);
            whole.due = point_at(span.until, point + 1);
            whole.work += line_.objects();
        }
        if (bad) {
            bad_wholes_.push_back(whole.constraint);
            whole.due = point + 1;
        } else {
            whole.clean = point;
        }
        whole.doubtful = bad;
        if (whole.work > most_work && whole.due < points_.size()) {
            whole.sampled = true;
            exact_ = false;
        }
    }
    return !bad_wholes_.empty();
}

bool Forward::is_bad_for_good(uint32_t constraint, size_t point) {
    Span unused;
    if (!applies(point, constraint) || !is_bad(constraint, point, unused))
        return false;
    found_.clear();
    bad_wholes_ = {constraint};
    gather_found(point);
    return counts(point);
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
    for (uint32_t type = 0; type < plan_.visible_types; ++type)
        for (Object object : line_.by_type[type])
            if (line_.alive(object, time))
                return true;
    return false;
}

// Leaves out what the operation that was under way mended before it ended. (Destroying the whole
// structure mends nothing.)
bool Forward::counts(size_t point) {
    uint64_t settled = points_[point].settled;
    if (settled == forever || settled <= points_[point].time || !is_used(settled))
        return true;
    std::erase_if(found_,
                  [&](const Inconsistency &e) { return !checker_.is_inconsistent(e, settled); });
    return !found_.empty();
}

// All inconsistencies of a bad C-point; check_units has found those of the nested constraints.
void Forward::gather_found(size_t point) {
    for (uint32_t constraint : bad_wholes_) {
        Span unused;
        checker_.check(constraint, points_[point].time, unused, [&](Inconsistency e) {
            found_.push_back(std::move(e));
            return true;
        });
    }
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
        bool units = check_units(point), whole = check_whole(point);
        if (!units && !whole)
            continue;
        gather_found(point);
        if (counts(point)) {
            bad_ = point;
        } else {
            found_.clear();
            bad_wholes_.clear();
        }
    }
    for (const Whole &whole : wholes_) {
        if (!whole.sampled)
            continue;
        size_t end = bad_ == no_point ? points_.size() - 1 : bad_;
        size_t clean = whole.clean == no_point ? 0 : whole.clean;
        auto found = std::move(found_);
        auto bad_wholes = std::move(bad_wholes_);
        size_t first = bisect(whole.constraint, clean, end);
        found_ = std::move(found);
        bad_wholes_ = std::move(bad_wholes);
        if (first == no_point || first == bad_)
            continue;
        bad_ = first;
        found_.clear();
        bad_wholes_.clear();
        for (uint32_t c = 0; c < plan_.constraints.size(); ++c)
            if (applies(bad_, c))
                bad_wholes_.push_back(c);
        gather_found(bad_);
    }
    return bad_;
}

size_t Forward::last_clean() const {
    size_t end = bad_ == no_point ? points_.size() : bad_;
    while (end > 0 && !points_[end - 1].types.empty())
        --end;
    return end ? end - 1 : no_point;
}

} // namespace heapstory::check
