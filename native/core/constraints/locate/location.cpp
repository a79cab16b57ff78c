// SPDX-License-Identifier: GPL-2.0-or-later
#include "constraints/locate/location.h"

namespace heapstory::constraints {

namespace {

constexpr size_t most_points = 4; // of one operation, before or after the first bad one

class Locating {
  public:
    Locating(Checker &checker, const Forward &forward, const std::vector<CPoint> &points,
             const StatementOf &statement_of)
        : checker_(checker), forward_(forward), points_(points), statement_of_(statement_of) {}

    Location run(size_t bad) {
        if (Location began = beginning(); !began.decisive.empty())
            return began;
        size_t clean = forward_.last_clean();
        Location first = at(bad, clean, forward_, forward_.inconsistencies());
        if (points_[bad].operation_end == forever || is_sure(first) ||
            !can_suppose(checker_.line()))
            return first;
        Location best = std::move(first);
        for (size_t i = bad + 1; i <= bad + most_points; ++i) {
            if (i == points_.size() || points_[i].time > points_[bad].operation_end)
                break;
            std::vector<CPoint> only = alone(i);
            Forward there(checker_, only);
            if (there.run() == Forward::no_point)
                break;
            Location next = at(i, clean, there, there.inconsistencies());
            if (next.decisive.empty() || grade(next) > grade(best))
                continue;
            best = std::move(next);
            if (is_sure(best))
                break;
        }
        return best;
    }

  private:
    // Of what is decisive; all there is one the same.
    static size_t grade(const Location &location) {
        return location.decisive.empty() ? ~size_t(0)
                                         : size_t(location.decisive.begin()->second.grade);
    }
    static bool is_sure(const Location &location) {
        return grade(location) == size_t(Grade::value);
    }
    std::vector<CPoint> alone(size_t point) const {
        return {{points_[point].time, {}, forever, 0, points_[point].busy}};
    }

    Location at(size_t point, size_t clean, const Forward &known,
                const std::vector<Inconsistency> &found) {
        Location out{point, clean, found, {}, {}, {}, 0};
        uint64_t time = points_[point].time;
        uint64_t floor = clean == Forward::no_point ? 0 : points_[clean].time;
        Traceback traceback(checker_, known, time, floor);
        out.faults = traceback.run(found);
        out.traced = traceback.traced();
        DecisiveSearch search(checker_, time, floor, statement_of_);
        out.decisive = search.run(found, out.faults);
        if (can_suppose(checker_.line()))
            out.wild = find_wild_stores(checker_, time, floor, statement_of_);
        return out;
    }

    // Where the operation that ends badly went off its usual way.
    Location beginning() {
        const auto &unusual = forward_.unusual();
        for (size_t i = 0; i < std::min(unusual.size(), most_points); ++i) {
            auto &[point, found] = unusual[i];
            std::vector<CPoint> only = alone(point);
            Forward there(checker_, only);
            there.run();
            Location out = at(point, point ? point - 1 : Forward::no_point, there, found);
            if (grade(out) <= size_t(Grade::omission))
                return out;
        }
        return {};
    }

    Checker &checker_;
    const Forward &forward_;
    const std::vector<CPoint> &points_;
    const StatementOf &statement_of_;
};

} // namespace

Location locate(Checker &checker, const Forward &forward, const std::vector<CPoint> &points,
                size_t bad, const StatementOf &statement_of) {
    return Locating(checker, forward, points, statement_of).run(bad);
}

} // namespace heapstory::constraints
