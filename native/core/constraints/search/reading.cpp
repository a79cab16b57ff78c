// SPDX-License-Identifier: GPL-2.0-or-later
#include "constraints/search/reading.h"

namespace heapstory::constraints {

namespace {

bool asks_for_roots(const PlanConstraint &constraint) {
    bool found = false;
    for_each_expr(constraint, [&](const Expr &e) { found |= e.op == Op::rooted; });
    return found;
}

bool reads_incoming_edges(const PlanConstraint &constraint) {
    bool found = false;
    for_each_expr(constraint, [&](const Expr &e) {
        found |= e.op == Op::indegree || e.op == Op::isroot || e.op == Op::internal ||
                 e.op == Op::external;
    });
    return found;
}

} // namespace

bool is_apart(const Timeline &line, const Edges &edges, uint32_t roots, Object head, uint64_t time,
              Span &span) {
    if (line.death[head] != forever) {
        span.narrow(0, line.death[head]);
        return true;
    }
    bool held = false;
    uint64_t again = forever;
    for (uint32_t set : {uint32_t(0), roots})
        for (const Incoming &edge : edges.incoming(set).of(head)) {
            if (line.block[edge.source] == line.block[head]) // a list's head in the list's record
                continue;
            if (edge.since <= time)
                held = true;
            else
                again = std::min(again, edge.since);
        }
    span.narrow(0, again);
    return !held || again != forever;
}

std::vector<uint8_t> all_apart(const Checker &checker, uint64_t time) {
    const Timeline &line = checker.line();
    const std::vector<uint32_t> &roots = checker.plan().root_sets;
    std::vector<uint8_t> out;
    Span unused;
    for (uint32_t type = 0; type < roots.size(); ++type) {
        if (roots[type] == none)
            continue;
        out.resize(line.objects());
        for (Object head : checker.unreached(type, time))
            out[head] = is_apart(line, checker.edges(), roots[type], head, time, unused);
    }
    return out;
}

bool Reading::counts(const Inconsistency &e, uint64_t time) {
    if (checker_.strict)
        return true;
    const PlanConstraint &constraint = plan_.constraints[e.constraint];
    if (constraint.shape.kind == ShapeKind::rooted)
        return constraint.body.text.empty() ||
               is_lost(line_.head(e.binding[0].object), constraint.variables[0].type, time);
    if (asks_for_roots(constraint))
        return true;
    checker_.nested().evaluator().begin(time);
    for (const Bound &bound : e.binding)
        if (bound.object != no_object && !is_rooted(bound.object, line_.type[bound.object]))
            return false;
    return checker_.global(e.constraint) || !reads_incoming_edges(constraint) ||
           is_wrong_among_rooted(e, time);
}

// An object that was taken out or is new may point into the structure.
bool Reading::is_wrong_among_rooted(const Inconsistency &e, uint64_t time) {
    Evaluator &evaluator = checker_.nested().evaluator();
    evaluator.rooted_edges = true;
    bool wrong = checker_.nested().is_inconsistent(e, time);
    evaluator.rooted_edges = false;
    return wrong;
}

bool Reading::is_rooted(Object object, uint32_t type) {
    return plan_.root_sets[type] == none ||
           checker_.nested().evaluator().rooted(line_.head(object), type);
}

// One witness stands for all that is lost behind it: some of that may not be apart.
bool Reading::is_lost(Object witness, uint32_t type, uint64_t time) {
    auto [known, fresh] = not_lost_.try_emplace(witness, 0);
    if (time < known->second)
        return false;
    Evaluator &evaluator = checker_.nested().evaluator();
    evaluator.begin(time);
    std::vector<Object> todo{witness};
    Marks seen;
    seen.clear(line_.objects());
    seen.add(witness);
    for (size_t i = 0; i < todo.size(); ++i) {
        Object at = todo[i];
        bool apart = apart_.empty() ? is_apart(line_, checker_.edges(), plan_.root_sets[type], at,
                                               time, evaluator.span)
                                    : apart_[at];
        if (!apart)
            return true;
        std::vector<Object> next;
        checker_.edges().out(at, 0, time, evaluator.span, [&](Object target, uint32_t) {
            if (line_.facet(target, type) != no_object && seen.add(target))
                next.push_back(target);
            return true;
        });
        for (Object target : next)
            if (!is_rooted(target, type))
                todo.push_back(target);
    }
    known->second = evaluator.span.until;
    return false;
}

} // namespace heapstory::constraints
