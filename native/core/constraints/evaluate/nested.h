// Nested constraints: which bindings violate them as of a moment, and for how long that is so. And
// what the inconsistencies of any constraint are made of.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "constraints/evaluate/evaluate.h"
#include "constraints/evaluate/inconsistency.h"

#include <functional>
#include <vector>

namespace heapstory::constraints {

class NestedChecker {
  public:
    using Found = std::function<bool(Inconsistency)>; // false: enough

    NestedChecker(const Timeline &line, const Plan &plan, const Edges &edges, const Texts *texts);
    Evaluator &evaluator() { return evaluator_; }

    // All inconsistencies of a nested constraint.
    std::vector<Inconsistency> check(uint32_t constraint, uint64_t time);
    // Those in which the first variable of a nested constraint is this object. Narrows `span` to
    // the time over which there are no others (unless `found` stopped it).
    void check_object(uint32_t constraint, Object object, uint64_t time, Span &span,
                      const Found &found);
    // Whether a constraint reads large parts of the structure.
    bool is_costly(uint32_t constraint) const;
    bool is_inconsistent(const Inconsistency &e, uint64_t time);
    // The values of the atoms; one ABSENT if an object of the binding is not alive.
    std::vector<Value> arguments(const Inconsistency &e, uint64_t time, Span &span);

    // The pointers among the fields that an inconsistency reads by name (not those below an
    // attribute or along a path); `written` is told when each field got its value.
    std::vector<Value> reads(const Inconsistency &e, uint64_t time,
                             const std::function<void(uint64_t)> &written);

    // For fields that an inconsistency compares, the numbers with which both sides were equal.
    using Wanted = std::function<void(uint32_t cell, Integer number)>;
    void wanted(const Inconsistency &e, uint64_t time, const Wanted &found);

  private:
    struct Atoms {
        std::vector<const Expr *> atoms;
        bool with_body = false; // EXISTS variables: the truth of the body is an argument
    };
    struct Reporting {
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
    void compare(const Expr &e, const Wanted &found);
    void solve(const Expr &e, Integer number, const Wanted &found);
    void bind(uint32_t number, size_t variable, Reporting &reporting);
    void loop(uint32_t number, size_t loop, Reporting &reporting);
    void report_if_violated(uint32_t number, Reporting &reporting);

    const Timeline &line_;
    const Plan &plan_;
    Evaluator evaluator_;
    std::vector<Atoms> atoms_; // by constraint
};

} // namespace heapstory::constraints
