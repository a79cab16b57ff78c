// SPDX-License-Identifier: GPL-2.0-or-later
#include "constraints/search/checker.h"

namespace heapstory::constraints {

Checker::Checker(const Timeline &line, const Plan &plan, const Texts *texts)
    : line_(line), plan_(plan), edges_(line, plan), nested_(line, plan, edges_, texts),
      second_(line, plan, edges_, texts), cycles_(line, edges_, plan.edge_sets.size()) {
    for (uint32_t c = 0; c < plan.constraints.size(); ++c)
        globals_.push_back(make_global(c, second_.evaluator(), cycles_));
}

std::vector<Inconsistency> Checker::check(uint32_t number, uint64_t time) {
    GlobalConstraint *global = globals_[number].get();
    return global ? global->at(time) : nested_.check(number, time);
}

std::vector<Object> Checker::lost(uint32_t number, uint64_t time) const {
    return unreached(plan_.constraints[number].variables[0].type, time);
}

// All that can be reached are marked.
std::vector<Object> Checker::unreached(uint32_t type, uint64_t time) const {
    uint32_t roots = plan_.root_sets[type];
    std::vector<Object> out, todo;
    if (roots == none)
        return out;
    Marks reached;
    reached.clear(line_.objects());
    auto reach = [&](Object target) {
        if (reached.add(target))
            todo.push_back(target);
        return true;
    };
    Span unused;
    for (const EdgeRef &root : plan_.edge_sets[roots])
        for (Object holder : line_.by_type[root.type])
            if (line_.alive(holder, time) && edges_.is_root(root, holder, time, unused))
                edges_.cells_of(holder, root, [&](uint32_t cell) {
                    if (Object target = edges_.target(cell, time, unused); target != no_object)
                        reach(target);
                });
    while (!todo.empty()) {
        Object at = todo.back();
        todo.pop_back();
        edges_.out(at, 0, time, unused, [&](Object target, uint32_t) { return reach(target); });
    }
    for (Object object : line_.by_type[type])
        if (line_.alive(object, time) && !reached.has(line_.head(object)))
            out.push_back(line_.head(object));
    return out;
}

} // namespace heapstory::constraints
