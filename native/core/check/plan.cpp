// SPDX-License-Identifier: GPL-2.0-or-later
#include "check/plan.h"

#include <algorithm>

namespace heapstory::check {

void complete(Plan &plan) {
    plan.root_sets.assign(plan.types.size(), none);
    for (uint32_t type = 0; type < plan.types.size(); ++type)
        if (!plan.types[type].roots.empty()) {
            plan.root_sets[type] = uint32_t(plan.edge_sets.size());
            plan.edge_sets.push_back(plan.types[type].roots);
        }
}

namespace {

bool has(const Expr &e, Op op) {
    return e.op == op || (e.binder.of && has(*e.binder.of, op)) ||
           std::any_of(e.args.begin(), e.args.end(), [&](const Expr &arg) { return has(arg, op); });
}

bool has(const PlanConstraint &constraint, Op op) {
    for (const PlanVariable &variable : constraint.variables)
        if (variable.binder.of && has(*variable.binder.of, op))
            return true;
    for (const PlanLoop &loop : constraint.loops)
        if (has(loop.first, op) || has(loop.last, op))
            return true;
    for (const Expr &key : constraint.shape.keys)
        if (has(key, op))
            return true;
    return (constraint.guard && has(*constraint.guard, op)) ||
           (constraint.shape.filter && has(*constraint.shape.filter, op)) ||
           has(constraint.body, op);
}

} // namespace

bool has(const Plan &plan, Op op) {
    return std::any_of(plan.attributes.begin(), plan.attributes.end(),
                       [&](const PlanAttribute &attribute) { return has(attribute.value, op); }) ||
           std::any_of(plan.constraints.begin(), plan.constraints.end(),
                       [&](const PlanConstraint &constraint) { return has(constraint, op); });
}

} // namespace heapstory::check
