// SPDX-License-Identifier: GPL-2.0-or-later
#include "check/location.h"

namespace heapstory::check {

namespace {

constexpr size_t most_points = 4; // of one operation, after the first bad one

bool by_omission(const Repair::Decisive &decisive) {
    return !decisive.empty() && decisive.begin()->second.grade == Repair::Grade::omission;
}

} // namespace

Location locate(Checker &checker, const Forward &forward, const std::vector<CPoint> &points,
                size_t bad, const Repair::StatementOf &statement_of) {
    size_t clean = forward.last_clean();
    uint64_t floor = clean == Forward::no_point ? 0 : points[clean].time;
    auto at = [&](size_t point, const Forward &known) {
        Location out{point, known.inconsistencies(), {}, {}};
        uint64_t time = points[point].time;
        out.faults = Traceback(checker, known, time, floor).run(out.found);
        Repair repair(checker.line(), checker.plan(), time, floor, statement_of);
        out.decisive = repair.run(out.found, out.faults);
        return out;
    };
    Location first = at(bad, forward), best;
    uint64_t settled = points[bad].settled;
    bool sure = !first.decisive.empty() && !by_omission(first.decisive);
    if (settled == forever || sure || !Repair::asks(checker.line()))
        return first;
    for (size_t i = bad + 1; i <= bad + most_points; ++i) {
        if (i == points.size() || points[i].time > settled)
            break;
        std::vector<CPoint> only{{points[i].time, {}, forever}};
        Forward there(checker, only);
        if (there.run() == Forward::no_point)
            break;
        Location next = at(i, there);
        if (next.decisive.empty())
            continue;
        best = std::move(next);
        if (!by_omission(best.decisive))
            break;
    }
    return best.decisive.empty() ? first : best;
}

} // namespace heapstory::check
