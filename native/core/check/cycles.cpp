// SPDX-License-Identifier: GPL-2.0-or-later
#include "check/cycles.h"

#include <set>

namespace heapstory::check {

const std::vector<Cycles::Edge> &Cycles::at(uint64_t time) {
    if (any(time) && !listed_)
        search(time);
    return back_;
}

bool Cycles::any(uint64_t time) {
    if (searched_ && time == time_)
        return any_;
    if (!searched_ || edges_.changes(set_).at_most(time_, time) > 1000 + line_.objects() / 16 ||
        followed_ > line_.objects()) {
        search(time);
    } else {
        any_ = any_closes(time);
        listed_ = !any_;
        back_.clear();
    }
    searched_ = true;
    time_ = time;
    return any_;
}

// The edges are written down side by side first: a search jumps, and should not have to jump far.
void Cycles::search(uint64_t time) {
    enum : uint8_t { fresh, open, done };
    size_t objects = line_.objects();
    std::vector<uint32_t> first(objects + 1);
    std::vector<Object> targets;
    Span unused;
    for (Object object = 0; object < objects; ++object) {
        first[object] = uint32_t(targets.size());
        if (line_.alive(object, time) && edges_.in_set(set_, line_.type[object]))
            edges_.cells(object, set_, [&](uint32_t cell) {
                Object target = edges_.target(cell, time, unused);
                if (target != no_object && edges_.counts(set_, target))
                    targets.push_back(target);
            });
    }
    first[objects] = uint32_t(targets.size());
    std::vector<uint8_t> state(objects, fresh);
    std::set<Edge> reported;
    struct Visit {
        Object head;
        uint32_t next, end; // of its edges, those that are left
    };
    std::vector<Visit> stack;
    back_.clear();
    labels_.assign(objects, 0);
    uint64_t label = gap * (objects + 1);
    auto visit = [&](Object head) {
        state[head] = open;
        ++work_;
        Object after = head + 1; // the objects at one place are numbered one after the other
        while (line_.several_types && after < objects && line_.head(after) == head)
            ++after;
        stack.push_back({head, first[head], first[after]});
    };
    for (Object start = 0; start < objects; ++start) {
        if (!line_.alive(start, time) || !edges_.in_set(set_, line_.type[start]))
            continue;
        Object head = line_.head(start);
        if (state[head] != fresh)
            continue;
        visit(head);
        while (!stack.empty()) {
            Visit &top = stack.back();
            if (top.next == top.end) {
                state[top.head] = done;
                labels_[top.head] = label -= gap;
                stack.pop_back();
                continue;
            }
            Object target = targets[top.next++];
            if (state[target] == fresh)
                visit(target);
            else if (state[target] == open && reported.emplace(top.head, target).second)
                back_.emplace_back(top.head, target);
        }
    }
    against_ = back_;
    any_ = !back_.empty();
    listed_ = true;
    followed_ = 0;
}

bool Cycles::stands(const Edge &edge, uint64_t time) const {
    Span unused;
    return line_.alive(edge.first, time) &&
           !edges_.out(edge.first, set_, time, unused,
                       [&](Object target, uint32_t) { return target != edge.second; });
}

// Gives an object a label with which all of its edges go up, if there is one.
bool Cycles::label_anew(Object object, uint64_t time) {
    uint64_t low = 0, high = forever;
    edges_.incoming(set_).standing(object, time, [&](const Incoming &edge) {
        low = std::max(low, edge.source == object ? forever : labels_[edge.source]);
    });
    Span unused;
    edges_.out(object, set_, time, unused, [&](Object target, uint32_t) {
        if (labels_[target])
            high = std::min(high, labels_[target]);
        return true;
    });
    if (high == forever && low < forever - 2 * gap)
        high = low + 2 * gap;
    if (high <= low || high - low < 2)
        return false;
    labels_[object] = low + (high - low) / 2;
    return true;
}

// Whether there is a cycle. If so, the edges that were not looked at may not go up either.
bool Cycles::any_closes(uint64_t time) {
    std::vector<Edge> edges = std::move(against_);
    std::erase_if(edges, [&](const Edge &edge) { return !stands(edge, time); });
    edges_.for_each_change(set_, time_, time, [&](uint32_t cell) {
        Span unused;
        Object target = edges_.target(cell, time, unused);
        Object source = line_.owner(cell);
        if (target != no_object && line_.alive(source, time) && edges_.counts(set_, target))
            edges.emplace_back(line_.head(source), target);
    });
    against_.clear();
    for (size_t i = 0; i < edges.size(); ++i) {
        Edge edge = edges[i];
        auto labelled = [&](Object end) { return label_anew(end, time) && goes_up(edge); };
        if (goes_up(edge) || labelled(edge.first) || labelled(edge.second))
            continue;
        if (closes(edge.first, edge.second, time)) {
            against_.insert(against_.end(), edges.begin() + std::ptrdiff_t(i), edges.end());
            return true;
        }
        against_.push_back(edge);
    }
    return false;
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
        followed_ += 2;
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
