// Constraints on a structure as a whole, as time moves.
// SPDX-License-Identifier: GPL-2.0-or-later
//
// What such a constraint says depends on everything, but an operation changes little: each keeps
// what it knows of the moment it was asked for last, and looks at what has changed since or, going
// back, what has not changed yet.
#pragma once

#include "constraints/evaluate/evaluate.h"
#include "constraints/evaluate/inconsistency.h"
#include "constraints/global/cycles.h"

#include <memory>
#include <vector>

namespace heapstory::constraints {

class GlobalConstraint {
  public:
    GlobalConstraint(uint32_t number, Evaluator &evaluator)
        : number_(number), evaluator_(evaluator), line_(evaluator.line()), plan_(evaluator.plan()),
          edges_(evaluator.edges()), constraint_(plan_.constraints[number]) {}
    virtual ~GlobalConstraint() = default;

    // The canonical inconsistencies as of a moment.
    const std::vector<Inconsistency> &at(uint64_t time) {
        if (!known_ || time != time_) {
            move(time);
            known_ = true;
            time_ = time;
        }
        return found_;
    }
    // Whether there are none.
    virtual bool holds(uint64_t time) { return at(time).empty(); }
    // How many objects were looked at so far, about.
    virtual uint64_t work() const { return work_; }

  protected:
    // Makes found_ what holds at a moment; what it is holds at time_, if known_.
    virtual void move(uint64_t time) = 0;
    void add(Object first, Object second);

    uint32_t number_;
    Evaluator &evaluator_;
    const Timeline &line_;
    const Plan &plan_;
    const Edges &edges_;
    const PlanConstraint &constraint_;
    bool known_ = false;
    uint64_t time_ = 0, work_ = 0;
    std::vector<Inconsistency> found_;
};

// The cycles of each edge set, shared by the constraints that ask for them.
class AllCycles {
  public:
    AllCycles(const Timeline &line, const Edges &edges, size_t sets)
        : line_(line), edges_(edges), cycles_(sets) {}
    Cycles &of(uint32_t set) {
        if (!cycles_[set])
            cycles_[set] = std::make_unique<Cycles>(line_, edges_, set);
        return *cycles_[set];
    }

  private:
    const Timeline &line_;
    const Edges &edges_;
    std::vector<std::unique_ptr<Cycles>> cycles_;
};

// For a constraint of any shape but nested.
std::unique_ptr<GlobalConstraint> make_global(uint32_t constraint, Evaluator &evaluator,
                                              AllCycles &cycles);

// One for each shape.
std::unique_ptr<GlobalConstraint> make_acyclic(uint32_t constraint, Evaluator &evaluator,
                                               AllCycles &cycles);
std::unique_ptr<GlobalConstraint> make_rooted(uint32_t constraint, Evaluator &evaluator,
                                              AllCycles &cycles);
std::unique_ptr<GlobalConstraint> make_connected(uint32_t constraint, Evaluator &evaluator);
std::unique_ptr<GlobalConstraint> make_unique_keys(uint32_t constraint, Evaluator &evaluator);

} // namespace heapstory::constraints
