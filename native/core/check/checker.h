// Constraints: which bindings violate them as of a moment, and for how long that is so.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "check/evaluate.h"

#include <functional>
#include <optional>
#include <vector>

namespace heapstory::check {

// A constraint and the objects and loop numbers it does not hold for.
struct Inconsistency {
    uint32_t constraint = 0;
    std::vector<Bound> binding; // FORALL variables, then loops
    bool operator==(const Inconsistency &) const = default;
};

struct InconsistencyHash {
    size_t operator()(const Inconsistency &e) const {
        size_t hash = e.constraint;
        for (const Bound &bound : e.binding)
            hash = (hash ^ bound.object ^ size_t(bound.number) << 7) * 0x9e3779b97f4a7c15u;
        return hash ^ hash >> 29;
    }
};

class Checker {
  public:
    using Found = std::function<bool(Inconsistency)>; // false: enough

    Checker(const Timeline &line, const Plan &plan, const Texts *texts);

    const Timeline &line() const { return line_; }
    const Plan &plan() const { return plan_; }
    const Edges &edges() const { return edges_; }

    // All inconsistencies of a constraint, canonical ones where its shape says so. Narrows `span`
    // to the time over which there are no others (unless `found` stopped it).
    void check(uint32_t constraint, uint64_t time, Span &span, const Found &found);
    // Those in which the first variable of a nested constraint is this object.
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

    bool is_nested(uint32_t constraint) const {
        return plan_.constraints[constraint].shape.kind == ShapeKind::nested;
    }
    // Whether an edge closes a cycle, asked from both of its ends at once.
    bool closes_cycle(Object source, Object target, uint32_t set, uint64_t time);

  private:
    struct Atoms {
        std::vector<const Expr *> atoms;
        bool with_body = false; // EXISTS variables: the truth of the body is an argument
    };
    struct Judged {
        Found found;
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
    void nested(uint32_t number, Judged &judged);
    void acyclic(uint32_t number, Judged &judged);
    void connected(uint32_t number, Judged &judged);
    void unique(uint32_t number, Judged &judged);
    void rooted(uint32_t number, Judged &judged);
    std::vector<Object> unrooted(uint32_t number);
    Inconsistency pair(uint32_t number, Object first, Object second) const;

    const Timeline &line_;
    const Plan &plan_;
    Edges edges_;
    Evaluator evaluator_;
    std::vector<Atoms> atoms_; // by constraint
};

} // namespace heapstory::check
