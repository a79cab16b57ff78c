// Constraints: which bindings violate them as of a moment, and for how long that is so.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "check/whole.h"

#include <functional>
#include <optional>
#include <vector>

namespace heapstory::check {

class Checker {
  public:
    using Found = std::function<bool(Inconsistency)>; // false: enough

    Checker(const Timeline &line, const Plan &plan, const Texts *texts);

    const Timeline &line() const { return line_; }
    const Plan &plan() const { return plan_; }
    const Edges &edges() const { return edges_; }

    // All inconsistencies of a constraint, canonical ones where its shape says so.
    std::vector<Inconsistency> check(uint32_t constraint, uint64_t time);
    // The same for a constraint that is checked as a whole, null for nested ones.
    Whole *whole(uint32_t constraint) { return wholes_[constraint].get(); }
    // Those in which the first variable of a nested constraint is this object. Narrows `span` to
    // the time over which there are no others (unless `found` stopped it).
    void check_object(uint32_t constraint, Object object, uint64_t time, Span &span,
                      const Found &found);
    bool is_inconsistent(const Inconsistency &e, uint64_t time);
    // The values of the atoms; one ABSENT if an object of the binding is not alive.
    std::vector<Value> arguments(const Inconsistency &e, uint64_t time, Span &span);

    // The pointers among the fields that an inconsistency reads by name (not those below an
    // attribute or along a path); `written` is told when each field got its value.
    std::vector<Value> reads(const Inconsistency &e, uint64_t time,
                             const std::function<void(uint64_t)> &written);

    // The objects (heads) that violate a constraint of shape `rooted`, ascending.
    std::vector<Object> lost(uint32_t constraint, uint64_t time);

  private:
    struct Atoms {
        std::vector<const Expr *> atoms;
        bool with_body = false; // EXISTS variables: the truth of the body is an argument
    };
    struct Judged {
        const Found &found;
        bool go_on = true;
    };

    void gather(const PlanConstraint &constraint, const Expr &e, std::vector<const Expr *> &out);
    bool within_one_instance(const PlanConstraint &constraint);
    bool violated(const PlanConstraint &constraint);
    Truth body(const PlanConstraint &constraint, size_t variable);
    void bind_all(const Inconsistency &e);
    void read(const Expr &e, const std::function<void(uint64_t)> &written,
              std::vector<Value> &pointers);
    void bind(uint32_t number, size_t variable, Judged &judged);
    void loop(uint32_t number, size_t loop, Judged &judged);
    void judge(uint32_t number, Judged &judged);

    const Timeline &line_;
    const Plan &plan_;
    Edges edges_;
    Evaluator evaluator_;
    AllCycles cycles_;
    std::vector<std::unique_ptr<Whole>> wholes_; // by constraint
    std::vector<Atoms> atoms_;                   // by constraint
};

} // namespace heapstory::check
