// A timeline and a plan, ready for questions as of any moment.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "constraints/evaluate/nested.h"
#include "constraints/global/global_constraint.h"

#include <memory>
#include <vector>

namespace heapstory::constraints {

class Checker {
  public:
    Checker(const Timeline &line, const Plan &plan, const Texts *texts);

    const Timeline &line() const { return line_; }
    const Plan &plan() const { return plan_; }
    const Edges &edges() const { return edges_; }

    // All inconsistencies of a constraint, canonical ones where its shape says so.
    std::vector<Inconsistency> check(uint32_t constraint, uint64_t time);
    // For a constraint that is checked as a whole, null for nested ones.
    Whole *whole(uint32_t constraint) { return wholes_[constraint].get(); }
    Judge &judge() { return judge_; }
    // Another judge, the one that constraints on the whole use: while one thread asks the first, a
    // second thread may ask this one and them.
    Judge &side() { return side_; }
    // The objects (heads) that violate a constraint of shape `rooted`, ascending.
    std::vector<Object> lost(uint32_t constraint, uint64_t time);

  private:
    const Timeline &line_;
    const Plan &plan_;
    Edges edges_;
    Judge judge_, side_;
    AllCycles cycles_;
    std::vector<std::unique_ptr<Whole>> wholes_; // by constraint
};

} // namespace heapstory::constraints
