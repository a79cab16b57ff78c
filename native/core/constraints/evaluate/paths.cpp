// Paths, roots and instances.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "constraints/evaluate/evaluate.h"

namespace heapstory::constraints {

// Starts are in the result only where a path leads back to them.
void Evaluator::reach(std::vector<Object> &found, uint32_t set) {
    marks_.clear(line_.objects());
    std::vector<Object> todo;
    std::swap(todo, found);
    while (!todo.empty()) {
        Object at = todo.back();
        todo.pop_back();
        edges_.out(at, set, time, span, [&](Object target, uint32_t) {
            if (marks_.add(target)) {
                todo.push_back(target);
                found.push_back(target);
            }
            return true;
        });
    }
}

void Evaluator::reach_back(std::vector<Object> &found, uint32_t set) {
    const IncomingIndex &incoming = edges_.incoming(set);
    marks_.clear(line_.objects());
    std::vector<Object> todo;
    std::swap(todo, found);
    while (!todo.empty()) {
        Object at = todo.back();
        todo.pop_back();
        if (!incoming.count(at, time, span))
            continue;
        incoming.standing(at, time, [&](const Incoming &edge) {
            if (marks_.add(edge.source)) {
                todo.push_back(edge.source);
                found.push_back(edge.source);
            }
        });
    }
}

// A path that is found holds for as long as its edges do; that there is none, for as long as
// everything that can be reached stays as it is.
bool Evaluator::path(Object from, Object to, uint32_t set) {
    struct Step {
        Object object;
        size_t before;
        uint32_t cell;
    };
    marks_.clear(line_.objects());
    std::vector<Step> steps{{from, 0, none}};
    Span looked;
    for (size_t i = 0; i < steps.size(); ++i) {
        bool found = !edges_.out(steps[i].object, set, time, looked, [&](Object next, uint32_t by) {
            if (marks_.add(next))
                steps.push_back({next, i, by});
            return next != to;
        });
        if (!found)
            continue;
        for (size_t at = steps.size() - 1; steps[at].cell != none; at = steps[at].before)
            edges_.target(steps[at].cell, time, span);
        return true;
    }
    span.narrow(looked);
    return false;
}

// That an object was reached holds for as long as the edges on the way do.
void Evaluator::narrow_to_way(const std::vector<Step> &steps, size_t last) {
    for (size_t step = last; step; step = steps[step].before)
        span.narrow(steps[step].edge);
}

bool Evaluator::rooted(Object head, uint32_t type) {
    uint32_t roots = type < plan_.root_sets.size() ? plan_.root_sets[type] : none;
    if (roots == none)
        return true;
    const IncomingIndex &held = edges_.incoming(roots), &incoming = edges_.incoming(0);
    marks_.clear(line_.objects());
    marks_.add(head);
    std::vector<Step> steps{{head, 0, {}}};
    Span looked;
    for (size_t i = 0; i < steps.size(); ++i) {
        Object at = steps[i].object;
        if (held.count(at, time, looked)) {
            const Incoming *by = nullptr;
            held.standing(at, time, [&](const Incoming &edge) { by = &edge; });
            span.narrow(by->since, by->until);
            narrow_to_way(steps, i);
            return true;
        }
        if (!incoming.count(at, time, looked))
            continue;
        incoming.standing(at, time, [&](const Incoming &edge) {
            if (marks_.add(edge.source))
                steps.push_back({edge.source, i, {edge.since, edge.until}});
        });
    }
    span.narrow(looked);
    return false;
}

// A few objects are looked up one by one; where that has become as much work, all at once.
uint32_t Evaluator::instance(Object object, uint32_t type) {
    Instances &known = instances_[type];
    if (!known.span.holds(time)) {
        if (known.asked != time)
            known.visited = 0;
        known.asked = time;
        if (known.visited * 8 < line_.objects())
            return find_instance(line_.head(object), type, known);
        find_instances(type, known);
    }
    span.narrow(known.span);
    return known.of[line_.head(object)];
}

// The first holder of a root that leads to an object, searched from the object up. None can come
// before the first of all.
uint32_t Evaluator::find_instance(Object head, uint32_t type, Instances &known) {
    uint32_t roots = plan_.root_sets[type];
    if (known.first == no_object)
        for (const EdgeRef &root : plan_.edge_sets[roots])
            if (!line_.by_type[root.type].empty())
                known.first = std::min(known.first, line_.head(line_.by_type[root.type][0]));
    const IncomingIndex &held = edges_.incoming(roots), &incoming = edges_.incoming(0);
    marks_.clear(line_.objects());
    marks_.add(head);
    std::vector<Step> steps{{head, 0, {}}};
    Span looked;
    Object best = no_object;
    for (size_t i = 0; i < steps.size(); ++i) {
        ++known.visited;
        Object at = steps[i].object;
        Span edge_to;
        if (held.count(at, time, looked))
            held.standing(at, time, [&](const Incoming &edge) {
                if (edge.source < best) {
                    best = edge.source;
                    edge_to = {edge.since, edge.until};
                }
            });
        if (best == known.first && best != no_object) {
            span.narrow(edge_to);
            narrow_to_way(steps, i);
            return best;
        }
        if (incoming.count(at, time, looked))
            incoming.standing(at, time, [&](const Incoming &edge) {
                if (marks_.add(edge.source))
                    steps.push_back({edge.source, i, {edge.since, edge.until}});
            });
    }
    span.narrow(looked);
    return best;
}

// From the holders of roots, in order; what two of them lead to is the first one's.
void Evaluator::find_instances(uint32_t type, Instances &known) {
    Span around = span;
    span = Span();
    std::vector<std::pair<Object, Object>> held; // holder, what it points to
    for (const EdgeRef &root : plan_.edge_sets[plan_.root_sets[type]]) {
        narrow_to_population(root.type);
        for (Object holder : line_.by_type[root.type])
            if (line_.alive(holder, time) && edges_.is_root(root, holder, time, span))
                edges_.cells_of(holder, root, [&](uint32_t cell) {
                    Object target = edges_.target(cell, time, span);
                    if (target != no_object)
                        held.emplace_back(line_.head(holder), target);
                });
    }
    std::stable_sort(held.begin(), held.end(),
                     [](const auto &a, const auto &b) { return a.first < b.first; });
    known.of.assign(line_.objects(), none);
    std::vector<Object> todo;
    for (auto [holder, start] : held) {
        auto reach = [&, holder = holder](Object target) {
            if (known.of[target] == none) {
                known.of[target] = holder;
                todo.push_back(target);
            }
            return true;
        };
        reach(start);
        while (!todo.empty()) {
            Object at = todo.back();
            todo.pop_back();
            edges_.out(at, 0, time, span, [&](Object target, uint32_t) { return reach(target); });
        }
    }
    known.span = span;
    span = around;
}

} // namespace heapstory::constraints
