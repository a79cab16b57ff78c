// SPDX-License-Identifier: GPL-2.0-or-later
#include "constraints/global/cycles.h"

#include <algorithm>
#include <set>

namespace heapstory::constraints {

const std::vector<Cycles::Edge> &Cycles::at(uint64_t time) {
    if (any(time) && !listed_)
        search(time);
    return back_;
}

bool Cycles::any(uint64_t time) {
    if (searched_ && time == time_)
        return any_;
    if (!searched_ || edges_.changes(set_).at_most(time_, time) > 1000 + line_.objects() / 16 ||
        followed_ > line_.objects())
        search(time);
    else
        move(time);
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
    highest_ = lowest_ = middle;
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
                labels_[top.head] = lowest_ -= gap;
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
    if (low >= high || high - low < 2)
        return false;
    if (high == forever)
        labels_[object] = highest_ += gap;
    else if (low == 0)
        labels_[object] = lowest_ -= gap;
    else
        labels_[object] = low + (high - low) / 2;
    return true;
}

// As of another moment, if it is not far. After a cycle is found, edges that were not looked at may
// not go up either.
void Cycles::move(uint64_t time) {
    std::vector<Edge> edges = std::move(against_);
    std::erase_if(edges, [&](const Edge &edge) { return !stands(edge, time); });
    edges_.for_each_change(set_, time_, time, [&](uint32_t cell) {
        Span unused;
        Object target = edges_.target(cell, time, unused);
        Object source = line_.owner(cell);
        if (target != no_object && line_.alive(source, time) && edges_.counts(set_, target))
            edges.emplace_back(line_.head(source), target);
    });
    back_.clear();
    against_.clear();
    listed_ = true;
    any_ = false;
    for (size_t i = 0; i < edges.size(); ++i) {
        auto [source, target] = edges[i];
        if (goes_up(edges[i]) || (label_anew(source, time) && goes_up(edges[i])) ||
            (label_anew(target, time) && goes_up(edges[i])))
            continue;
        for (Object end : {source, target})
            if (!labels_[end]) // then none of its edges has been looked at
                labels_[end] = highest_ += gap;
        if (goes_up(edges[i]))
            continue;
        if (closes(edges[i], time)) {
            against_.assign(edges.begin() + std::ptrdiff_t(i), edges.end());
            any_ = true;
            listed_ = false;
            return;
        }
        if (!reorder())
            return search(time);
    }
}

// Whether an edge that does not go up closes a cycle with edges that do. Leaves in ahead_ what its
// target leads to, and in behind_ what leads to its source, as far as their labels are in between.
bool Cycles::closes(const Edge &edge, uint64_t time) {
    auto [source, target] = edge;
    if (source == target)
        return true;
    uint64_t low = labels_[target], high = labels_[source];
    const IncomingIndex &incoming = edges_.incoming(set_);
    Span unused;
    seen_.clear(line_.objects());
    seen_.add(target);
    ahead_.assign(1, target);
    for (size_t i = 0; i < ahead_.size(); ++i) {
        Object at = ahead_[i];
        bool met = !edges_.out(at, set_, time, unused, [&](Object next, uint32_t) {
            if (goes_up({at, next}) && labels_[next] <= high && seen_.add(next))
                ahead_.push_back(next);
            return !seen_.has(source);
        });
        if (met)
            return true;
    }
    seen_.add(source);
    behind_.assign(1, source);
    for (size_t i = 0; i < behind_.size(); ++i)
        incoming.standing(behind_[i], time, [&](const Incoming &in) {
            if (goes_up({in.source, behind_[i]}) && labels_[in.source] >= low &&
                seen_.add(in.source))
                behind_.push_back(in.source);
        });
    work_ += ahead_.size() + behind_.size();
    followed_ += ahead_.size() + behind_.size();
    return false;
}

// Gives what is behind an edge the lower ones of the labels that it and what is ahead have. False
// if two of them are equal.
bool Cycles::reorder() {
    auto lower = [&](Object a, Object b) { return labels_[a] < labels_[b]; };
    std::sort(behind_.begin(), behind_.end(), lower);
    std::sort(ahead_.begin(), ahead_.end(), lower);
    behind_.insert(behind_.end(), ahead_.begin(), ahead_.end());
    pool_.clear();
    for (Object object : behind_)
        pool_.push_back(labels_[object]);
    std::sort(pool_.begin(), pool_.end());
    if (std::adjacent_find(pool_.begin(), pool_.end()) != pool_.end())
        return false;
    for (size_t i = 0; i < pool_.size(); ++i)
        labels_[behind_[i]] = pool_[i];
    return true;
}

} // namespace heapstory::constraints
