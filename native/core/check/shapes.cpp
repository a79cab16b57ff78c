// The shapes that are checked as a whole, each in time about linear in the structure.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "check/checker.h"

#include <map>
#include <set>
#include <unordered_map>

namespace heapstory::check {

namespace {

// A value as bytes, equal for equal keys.
void append_key(const Value &value, std::string &key) {
    auto raw = [&](const auto &part) {
        key.append(reinterpret_cast<const char *>(&part), sizeof part);
    };
    Value at = value;
    if (at.kind == ValueKind::boolean)
        at.kind = ValueKind::integer;
    raw(at.kind);
    switch (at.kind) {
    case ValueKind::integer:
        raw(at.integer);
        break;
    case ValueKind::real:
        raw(at.real);
        break;
    case ValueKind::pointer:
        raw(at.address);
        raw(at.block);
        raw(at.state);
        break;
    default:
        raw(at.text);
    }
}

} // namespace

Inconsistency Checker::pair(uint32_t number, Object first, Object second) const {
    const PlanConstraint &constraint = plan_.constraints[number];
    Inconsistency e{number, {}};
    for (size_t i = 0; i < 2; ++i) {
        Object head = i ? second : first;
        Object object = i < constraint.variables.size()
                            ? line_.facet(head, constraint.variables[i].type)
                            : no_object;
        e.binding.push_back({object == no_object ? head : object, 0});
    }
    return e;
}

// Depth-first search: one inconsistency for each edge to an object on the search stack.
void Checker::acyclic(uint32_t number, Judged &judged) {
    uint32_t set = plan_.constraints[number].shape.edges;
    uint64_t time = evaluator_.time;
    Span &span = evaluator_.span;
    enum : uint8_t { fresh, open, done };
    std::vector<uint8_t> state(line_.objects(), fresh);
    std::set<std::pair<Object, Object>> reported;
    struct Visit {
        Object head;
        size_t first; // of what is left of its edges
    };
    std::vector<Visit> stack;
    std::vector<Object> ahead; // edges yet to be followed, the first one last
    auto visit = [&](Object head) {
        state[head] = open;
        size_t first = ahead.size();
        edges_.out(head, set, time, span, [&](Object target, uint32_t) {
            ahead.push_back(target);
            return true;
        });
        std::reverse(ahead.begin() + std::ptrdiff_t(first), ahead.end());
        stack.push_back({head, first});
    };
    for (uint32_t type = 0; type < plan_.types.size(); ++type)
        if (edges_.in_set(set, type))
            evaluator_.narrow_to_population(type);
    for (Object start = 0; start < line_.objects() && judged.go_on; ++start) {
        if (!line_.alive(start, time) || !edges_.in_set(set, line_.type[start]))
            continue;
        Object head = line_.head(start);
        if (state[head] != fresh)
            continue;
        visit(head);
        while (!stack.empty() && judged.go_on) {
            Visit top = stack.back();
            if (ahead.size() == top.first) {
                state[top.head] = done;
                stack.pop_back();
                continue;
            }
            Object target = ahead.back();
            ahead.pop_back();
            if (state[target] == fresh)
                visit(target);
            else if (state[target] == open && reported.emplace(top.head, target).second)
                judged.go_on = judged.found(pair(number, top.head, target));
        }
    }
}

void Checker::connected(uint32_t number, Judged &judged) {
    const PlanConstraint &constraint = plan_.constraints[number];
    uint32_t type = constraint.variables[0].type, set = constraint.shape.edges;
    uint64_t time = evaluator_.time;
    evaluator_.narrow_to_population(type);
    std::map<uint32_t, std::vector<Object>> instances;
    for (Object object : line_.by_type[type])
        if (line_.alive(object, time))
            instances[plan_.root_sets[type] == none ? 0 : evaluator_.instance(object, type)]
                .push_back(object);
    std::vector<uint8_t> ahead(line_.objects()), behind(line_.objects());
    for (auto &[instance, objects] : instances) {
        Object first = line_.head(objects[0]);
        std::vector<Object> found{first};
        evaluator_.reach(found, set);
        for (Object object : found)
            ahead[object] = 1;
        std::vector<Object> back{first};
        evaluator_.reach_back(back, set);
        for (Object object : back)
            behind[object] = 1;
        for (Object object : objects) {
            Object head = line_.head(object);
            if (!ahead[head] && judged.go_on)
                judged.go_on = judged.found(pair(number, first, head));
            if (head != first && !behind[head] && judged.go_on)
                judged.go_on = judged.found(pair(number, head, first));
        }
        for (Object object : found)
            ahead[object] = 0;
        for (Object object : back)
            behind[object] = 0;
    }
}

void Checker::unique(uint32_t number, Judged &judged) {
    const PlanConstraint &constraint = plan_.constraints[number];
    const Shape &shape = constraint.shape;
    uint32_t type = constraint.variables[0].type;
    evaluator_.narrow_to_population(type);
    std::unordered_map<std::string, Object> firsts;
    std::string key;
    for (Object object : line_.by_type[type]) {
        if (!line_.alive(object, evaluator_.time))
            continue;
        evaluator_.bound[0] = {object, 0};
        if (shape.filter && evaluator_.truth(*shape.filter) != Truth::yes)
            continue;
        key.clear();
        bool known = true;
        for (const Expr &part : shape.keys) {
            Value value = evaluator_.evaluate(part);
            known &= value.known();
            append_key(value, key);
        }
        if (!known)
            continue;
        if (plan_.root_sets[type] != none)
            append_key(Value::number(evaluator_.instance(object, type)), key);
        auto [at, added] = firsts.try_emplace(key, object);
        if (!added && !(judged.go_on = judged.found(pair(number, at->second, object))))
            return;
    }
}

// The objects (heads) that violate the constraint, in order: those that no root leads to.
std::vector<Object> Checker::unrooted(uint32_t number) {
    const PlanConstraint &constraint = plan_.constraints[number];
    uint32_t type = constraint.variables[0].type, roots = plan_.root_sets[type];
    uint64_t time = evaluator_.time;
    std::vector<Object> out;
    if (roots == none)
        return out;
    std::vector<uint8_t> reached(line_.objects());
    std::vector<Object> todo;
    auto reach = [&](Object target) {
        if (!reached[target]) {
            reached[target] = 1;
            todo.push_back(target);
        }
    };
    for (const EdgeRef &root : plan_.edge_sets[roots]) {
        evaluator_.narrow_to_population(root.type);
        for (Object holder : line_.by_type[root.type])
            if (line_.alive(holder, time))
                edges_.cells_of(holder, root, [&](uint32_t cell) {
                    Object target = edges_.target(cell, time, evaluator_.span);
                    if (target != no_object)
                        reach(target);
                });
    }
    while (!todo.empty()) {
        Object at = todo.back();
        todo.pop_back();
        edges_.out(at, 0, time, evaluator_.span, [&](Object target, uint32_t) {
            reach(target);
            return true;
        });
    }
    evaluator_.narrow_to_population(type);
    for (Object object : line_.by_type[type]) {
        if (!line_.alive(object, time) || reached[line_.head(object)])
            continue;
        evaluator_.bound[0] = {object, 0};
        if (!constraint.guard || evaluator_.truth(*constraint.guard) == Truth::yes)
            out.push_back(line_.head(object));
    }
    return out;
}

std::vector<Object> Checker::lost(uint32_t constraint, uint64_t time) {
    evaluator_.begin(time);
    evaluator_.bound.assign(1, {});
    return unrooted(constraint);
}

// Of the objects that are lost, those that lead to the others: one of each component that no other
// one leads to. Visited in the reverse order in which a depth-first search leaves them, such a
// component comes before all it leads to.
void Checker::rooted(uint32_t number, Judged &judged) {
    uint64_t time = evaluator_.time;
    uint32_t type = plan_.constraints[number].variables[0].type;
    std::vector<Object> lost = unrooted(number);
    if (lost.empty())
        return;
    std::unordered_map<Object, uint8_t> seen; // 1: searched once, 2: twice
    for (Object object : lost)
        seen[object] = 0;
    auto next_of = [&](Object head, uint8_t round, std::vector<Object> &out) {
        edges_.out(head, 0, time, evaluator_.span, [&](Object target, uint32_t) {
            if (auto at = seen.find(target); at != seen.end() && at->second < round)
                out.push_back(target);
            return true;
        });
    };
    std::vector<Object> left; // in the order of leaving
    std::vector<std::pair<Object, bool>> stack;
    for (Object start : lost) {
        stack.emplace_back(start, false);
        while (!stack.empty()) {
            auto [head, leaving] = stack.back();
            stack.pop_back();
            if (leaving) {
                left.push_back(head);
                continue;
            }
            if (seen[head])
                continue;
            seen[head] = 1;
            stack.emplace_back(head, true);
            std::vector<Object> next;
            next_of(head, 1, next);
            for (Object target : next)
                stack.emplace_back(target, false);
        }
    }
    for (auto start = left.rbegin(); start != left.rend() && judged.go_on; ++start) {
        if (seen[*start] == 2)
            continue;
        std::vector<Object> todo{*start};
        seen[*start] = 2;
        while (!todo.empty()) {
            Object head = todo.back();
            todo.pop_back();
            std::vector<Object> next;
            next_of(head, 2, next);
            for (Object target : next)
                if (seen[target] < 2) {
                    seen[target] = 2;
                    todo.push_back(target);
                }
        }
        // Whatever lost object leads to it is in its component.
        std::vector<Object> component{*start};
        evaluator_.reach_back(component, 0);
        Object first = *start;
        for (Object head : component)
            if (seen.contains(head))
                first = std::min(first, head);
        Object object = line_.facet(first, type);
        judged.go_on = judged.found({number, {{object == no_object ? first : object, 0}}});
    }
}

bool Checker::closes_cycle(Object source, Object target, uint32_t set, uint64_t time) {
    if (source == target)
        return true;
    const IncomingIndex &incoming = edges_.incoming(set);
    std::unordered_map<Object, uint8_t> seen{{target, 1}, {source, 2}}; // from which end
    std::vector<Object> ahead{target}, behind{source};
    Span unused;
    for (size_t i = 0, j = 0; i < ahead.size() && j < behind.size(); ++i, ++j) {
        bool met = false;
        edges_.out(ahead[i], set, time, unused, [&](Object next, uint32_t) {
            auto [at, added] = seen.try_emplace(next, uint8_t(1));
            if (added)
                ahead.push_back(next);
            met |= at->second == 2;
            return !met;
        });
        for (const Incoming &edge : incoming.of(behind[j])) {
            if (met || edge.since > time || time >= edge.until)
                continue;
            auto [at, added] = seen.try_emplace(edge.source, uint8_t(2));
            if (added)
                behind.push_back(edge.source);
            met |= at->second == 1;
        }
        if (met)
            return true;
    }
    return false;
}

} // namespace heapstory::check
