// SPDX-License-Identifier: GPL-2.0-or-later
#include "constraints/plan/plan.h"

namespace heapstory::constraints {

namespace {

void complete(PlanField &field) {
    if (field.size == 0 || field.size > 8)
        field.kind = FieldKind::chars;
}

} // namespace

void complete(Plan &plan) {
    for (PlanType &type : plan.types) {
        for (PlanField &field : type.fields)
            complete(field);
        for (PlanRun &run : type.runs)
            complete(run.field);
    }
    plan.root_sets.assign(plan.types.size(), none);
    for (uint32_t type = 0; type < plan.types.size(); ++type)
        if (!plan.types[type].roots.empty()) {
            plan.root_sets[type] = uint32_t(plan.edge_sets.size());
            plan.edge_sets.push_back(plan.types[type].roots);
        }
}

namespace {

using Visit = std::function<void(const Expr &)>;

void for_each_expr(const Expr &e, const Visit &visit) {
    visit(e);
    if (e.binder.of)
        for_each_expr(*e.binder.of, visit);
    for (const Expr &arg : e.args)
        for_each_expr(arg, visit);
}

} // namespace

void for_each_expr(const PlanConstraint &constraint, const Visit &visit) {
    for (const PlanVariable &variable : constraint.variables)
        if (variable.binder.of)
            for_each_expr(*variable.binder.of, visit);
    for (const PlanLoop &loop : constraint.loops) {
        for_each_expr(loop.first, visit);
        for_each_expr(loop.last, visit);
    }
    if (constraint.guard)
        for_each_expr(*constraint.guard, visit);
    for_each_expr(constraint.body, visit);
    if (constraint.shape.filter)
        for_each_expr(*constraint.shape.filter, visit);
    for (const Expr &key : constraint.shape.keys)
        for_each_expr(key, visit);
}

bool has(const Plan &plan, Op op) {
    bool found = false;
    Visit look = [&](const Expr &e) { found |= e.op == op; };
    for (const PlanAttribute &attribute : plan.attributes)
        for_each_expr(attribute.value, look);
    for (const PlanConstraint &constraint : plan.constraints)
        for_each_expr(constraint, look);
    return found;
}

} // namespace heapstory::constraints
