// Checks one C-point after the other and stops at the first that is bad.
// SPDX-License-Identifier: GPL-2.0-or-later
//
// Every object of a nested constraint is looked at again only at the first C-point after something
// it depends on has changed: a calendar holds, for each C-point, the objects that are due. What is
// global moves from C-point to C-point. Where that is too much work for a constraint (a
// search of everything at every one of a great many C-points), a sample of the C-points is checked
// and the first bad one is found by bisection.
#pragma once

#include "constraints/search/reading.h"
#include "constraints/search/sweep.h"

#include <cstdint>
#include <set>
#include <vector>

namespace heapstory::constraints {

struct CPoint {
    uint64_t time = 0;
    std::vector<uint32_t> types;      // whose constraints must hold; empty: all
    uint64_t operation_end = forever; // what is no longer wrong then does not count
    uint32_t way = 0;                 // which function returned, and to where; 0: not known
    // When other threads ran, in operations that they have not ended: (from, to]. What was changed
    // last then is theirs and does not count yet.
    std::vector<std::pair<uint64_t, uint64_t>> busy;
    bool is_round = false; // the end of a round (see FoundCPoint)
};

// A C-point in the middle of an operation and what is wrong there.
struct Passing {
    size_t point;
    std::vector<Inconsistency> found;
};

// One object as the first variable of a nested constraint.
struct Unit {
    uint32_t constraint = 0;
    Object object = no_object;
};

class Forward {
  public:
    static constexpr size_t no_point = ~size_t(0);

    // C-points in order of time, no two at the same moment.
    Forward(Checker &checker, const std::vector<CPoint> &points);

    // The first bad C-point, or none.
    size_t run();
    // The inconsistencies there.
    const std::vector<Inconsistency> &inconsistencies() const { return found_; }
    // C-points of the operation that ends badly at which something was wrong that was gone later,
    // and that the same way through the program never left wrong in operations that ended well, or
    // in earlier rounds.
    const std::vector<Passing> &unusual() const { return unusual_; }
    // The last C-point before it where everything was checked and fine.
    size_t last_clean() const;
    // Whether every C-point was looked at for every constraint.
    bool exact() const { return exact_; }
    uint64_t evaluations() const { return evaluations_; }

    // Units with the last moment before the bad C-point at which something they depend on changed.
    template <class Visit> void for_each_unit(Visit visit) const {
        for (const Group &group : groups_) {
            uint32_t unit = group.first;
            for (Object object : *group.objects)
                for (uint32_t constraint : group.constraints)
                    visit(Unit{constraint, object}, ~known_[unit++]);
        }
    }
    static constexpr uint64_t unseen = forever; // the unit was never looked at

  private:
    static constexpr uint64_t most_work = 200'000'000; // objects visited for one constraint
    static constexpr size_t samples = 64;
    static constexpr size_t most_alone = 5'000; // units that are not worth a thread

    bool is_many(uint32_t units) const { return units > units_ / 4; }
    Unit unit_of(uint32_t number) const;
    bool applies(size_t point, uint32_t constraint) const;
    size_t point_at(uint64_t time, size_t from) const;
    void schedule_births();
    void schedule(uint32_t unit, size_t point);
    bool check_point(size_t point);
    bool check_all(size_t point);
    bool check_units(size_t point);
    bool check_globals(size_t point);
    bool counts(size_t point);
    bool is_counted(const Inconsistency &e, size_t point);
    void leave_out(size_t point);
    bool is_used(uint64_t time) const;
    void end_operations(uint64_t time);
    void pass(size_t point, std::vector<Inconsistency> found);
    void find_unusual();
    void learn_from_rounds();
    bool is_usual(size_t point) const;
    bool is_about_new_block(const Inconsistency &e, size_t point) const;
    void gather_found(size_t point);
    bool is_bad_for_good(uint32_t constraint, size_t point);
    size_t bisect(uint32_t constraint, size_t clean, size_t end);

    struct GlobalState { // of a global constraint
        uint32_t constraint = 0;
        size_t clean = no_point; // the last C-point that was fine
        bool sampled = false;
    };

    Checker &checker_;
    const Timeline &line_;
    const Plan &plan_;
    const std::vector<CPoint> &points_;
    Reading reading_;
    std::vector<Group> groups_;
    uint32_t units_ = 0;
    // The calendar: lists of units by C-point. Not in them are those that are due for the first
    // time at a C-point where very many are.
    Values<uint32_t> next_, head_;
    std::vector<uint32_t> due_; // by C-point: how many
    std::vector<bool> many_;    // by C-point: units that are due for the first time
    Zeroed<uint64_t> known_;    // by unit: ~since, so that 0 is `unseen`
    std::vector<GlobalState> globals_;
    std::vector<Inconsistency> found_;
    std::vector<uint32_t> bad_globals_;
    std::vector<Inconsistency> left_out_;           // of nested constraints, to be asked again
    std::vector<Passing> passing_;                  // of operations that have not ended yet
    std::set<uint32_t> ways_;                       // of operations that ended well
    std::set<std::pair<uint32_t, uint32_t>> usual_; // ways of those, and constraints broken there
    std::vector<Passing> unusual_;
    std::set<size_t> usually_bad_; // C-points that were passed with what is always wrong there
    size_t bad_ = no_point;
    bool exact_ = true;
    uint64_t evaluations_ = 0;
};

} // namespace heapstory::constraints
