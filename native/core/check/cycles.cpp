// SPDX-License-Identifier: GPL-2.0-or-later
#include "check/cycles.h"

#include <set>

namespace heapstory::check {

const std::vector<Cycles::Edge> &Cycles::at(uint64_t time) {
    if (searched_ && time == time_)
        return back_;
    if (!searched_ || edges_.changes(set_).at_most(time_, time) > 1000 + line_.objects() / 16 ||
        any_closes(time))
        search(time);
    else
        back_.clear();
    searched_ = true;
    time_ = time;
    return back_;
}

void Cycles::search(uint64_t time) {
    enum : uint8_t { fresh, open, done };
    std::vector<uint8_t> state(line_.objects(), fresh);
    std::set<Edge> reported;
    struct Visit {
        Object head;
        size_t first; // of what is left of its edges
    };
    std::vector<Visit> stack;
    std::vector<Object> ahead; // edges yet to be followed, the first one last
    Span unused;
    back_.clear();
    auto visit = [&](Object head) {
        state[head] = open;
        ++work_;
        size_t first = ahead.size();
        edges_.out(head, set_, time, unused, [&](Object target, uint32_t) {
            ahead.push_back(target);
            return true;
        });
        std::reverse(ahead.begin() + std::ptrdiff_t(first), ahead.end());
        stack.push_back({head, first});
    };
    for (Object start = 0; start < line_.objects(); ++start) {
        if (!line_.alive(start, time) || !edges_.in_set(set_, line_.type[start]))
            continue;
        Object head = line_.head(start);
        if (state[head] != fresh)
            continue;
        visit(head);
        while (!stack.empty()) {
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
                back_.emplace_back(top.head, target);
        }
    }
}

bool Cycles::stands(const Edge &edge, uint64_t time) const {
    Span unused;
    return line_.alive(edge.first, time) &&
           !edges_.out(edge.first, set_, time, unused,
                       [&](Object target, uint32_t) { return target != edge.second; });
}

// Whether there is a cycle, if the edges that led back were all that closed one before.
bool Cycles::any_closes(uint64_t time) {
    for (const Edge &edge : back_)
        if (stands(edge, time) && closes(edge.first, edge.second, time))
            return true;
    bool any = false;
    edges_.for_each_change(set_, time_, time, [&](uint32_t cell) {
        if (any)
            return;
        Span unused;
        Object target = edges_.target(cell, time, unused);
        Object source = line_.owner(cell);
        any = target != no_object && line_.alive(source, time) && edges_.counts(set_, target) &&
              closes(line_.head(source), target, time);
    });
    return any;
}

// Whether an edge closes a cycle, asked from both of its ends at once.
bool Cycles::closes(Object source, Object target, uint64_t time) {
    if (source == target)
        return true;
    const IncomingIndex &incoming = edges_.incoming(set_);
    ahead_.clear(line_.objects());
    behind_.clear(line_.objects());
    ahead_.add(target);
    behind_.add(source);
    std::vector<Object> ahead{target}, behind{source};
    Span unused;
    for (size_t i = 0; i < ahead.size() && i < behind.size(); ++i) {
        work_ += 2;
        bool met = !edges_.out(ahead[i], set_, time, unused, [&](Object next, uint32_t) {
            if (ahead_.add(next))
                ahead.push_back(next);
            return !behind_.has(next);
        });
        incoming.standing(behind[i], time, [&](const Incoming &edge) {
            if (behind_.add(edge.source))
                behind.push_back(edge.source);
            met |= ahead_.has(edge.source);
        });
        if (met)
            return true;
    }
    return false;
}

} // namespace heapstory::check
