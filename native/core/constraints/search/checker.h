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

    // Whether everything that is wrong counts, and not only what is wrong with structures.
    bool strict = true;

    const Timeline &line() const { return line_; }
    const Plan &plan() const { return plan_; }
    const Edges &edges() const { return edges_; }

    // All inconsistencies of a constraint, canonical ones where its shape says so.
    std::vector<Inconsistency> check(uint32_t constraint, uint64_t time);
    // For a global constraint, null for nested ones.
    GlobalConstraint *global(uint32_t constraint) { return globals_[constraint].get(); }
    NestedChecker &nested() { return nested_; }
    // Another one, which the global constraints use: while one thread asks the first, a
    // second thread may ask this one and them.
    NestedChecker &second() { return second_; }
    // The objects (heads) that violate a constraint of shape `rooted`, ascending.
    std::vector<Object> lost(uint32_t constraint, uint64_t time) const;
    // The objects (heads) of a type that no root leads to, ascending; none where it has no roots.
    std::vector<Object> unreached(uint32_t type, uint64_t time) const;

  private:
    const Timeline &line_;
    const Plan &plan_;
    Edges edges_;
    NestedChecker nested_, second_;
    AllCycles cycles_;
    std::vector<std::unique_ptr<GlobalConstraint>> globals_; // by constraint
};

} // namespace heapstory::constraints
