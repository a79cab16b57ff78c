// SPDX-License-Identifier: GPL-2.0-or-later
#include "constraints/evaluate/running_total.h"

namespace heapstory::constraints {

namespace {

constexpr size_t some = 64; // objects that cost nothing to look at

} // namespace

std::optional<Integer> RunningTotal::at(Object start, uint64_t time, Span &span) {
    if (time_ == forever) {
        time_ = time;
        restart(start);
    } else if (time != time_ || start != start_) {
        move(start, time);
    }
    if (!possible_)
        return std::nullopt;
    while (!untils_.empty() && !has(untils_.top().second, &Span::until, untils_.top().first))
        untils_.pop();
    while (!sinces_.empty() && !has(sinces_.top().second, &Span::since, sinces_.top().first))
        sinces_.pop();
    span.narrow(sinces_.empty() ? 0 : sinces_.top().first,
                untils_.empty() ? forever : untils_.top().first);
    return total_;
}

void RunningTotal::restart(Object start) {
    members_.clear();
    untils_ = {};
    sinces_ = {};
    total_ = 0;
    lowest_ = 0;
    steps_ = 0;
    start_ = start;
    add(start, Held::start, no_object, 0);
}

void RunningTotal::move(Object start, uint64_t time) {
    std::vector<Object> changed = ended(time);
    uint64_t before = time_;
    time_ = time;
    if (changed.size() * 4 > members_.size() + some || steps_ > members_.size() + some ||
        untils_.size() + sinces_.size() > 8 * members_.size() + some) {
        restart(start);
        return;
    }
    for (Object object : changed)
        loosen_children(object, before);
    set_start(start);
    for (Object object : changed)
        refresh(object, members_.at(object));
    for (Object object : changed)
        for (const Edge &edge : out(object, time_))
            if (!find(edge.target))
                add(edge.target, Held::edge, object, edge.cell);
    settle();
    add_again();
}

// The members whose time does not reach a moment.
std::vector<Object> RunningTotal::ended(uint64_t time) {
    std::vector<Object> out;
    for (; !untils_.empty() && untils_.top().first <= time; untils_.pop())
        if (has(untils_.top().second, &Span::until, untils_.top().first))
            out.push_back(untils_.top().second);
    for (; !sinces_.empty() && sinces_.top().first > time; sinces_.pop())
        if (has(sinces_.top().second, &Span::since, sinces_.top().first))
            out.push_back(sinces_.top().second);
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

// Those whose edge leads elsewhere now.
void RunningTotal::loosen_children(Object object, uint64_t before) {
    Span unused;
    for (const Edge &edge : out(object, before)) {
        Member *child = find(edge.target);
        if (child && child->held == Held::edge && child->cell == edge.cell &&
            child->parent == object && edges_.target(edge.cell, time_, unused) != edge.target)
            loosen(edge.target, *child);
    }
}

void RunningTotal::loosen(Object object, Member &member) {
    member.held = Held::loose;
    loose_.push({member.label, object});
}

void RunningTotal::set_start(Object start) {
    if (start == start_)
        return;
    if (Member *old = find(start_); old && old->held == Held::start)
        loosen(start_, *old);
    start_ = start;
    if (Member *member = find(start))
        member->held = Held::start;
    else
        add(start, Held::start, no_object, 0);
}

void RunningTotal::refresh(Object object, Member &member) {
    total_ -= member.adds;
    member.span = {};
    std::optional<Integer> adds = added_(object, time_, member.span);
    possible_ &= adds.has_value();
    member.adds = adds.value_or(0);
    total_ += member.adds;
    edges_.out(object, set_, time_, member.span, [](Object, uint32_t) { return true; });
    note(object, member.span);
}

void RunningTotal::note(Object object, const Span &span) {
    if (span.until != forever)
        untils_.emplace(span.until, object);
    if (span.since)
        sinces_.emplace(span.since, object);
}

bool RunningTotal::has(Object object, uint64_t Span::*end, uint64_t time) const {
    auto found = members_.find(object);
    return found != members_.end() && found->second.span.*end == time;
}

std::vector<RunningTotal::Edge> RunningTotal::out(Object object, uint64_t time) const {
    std::vector<Edge> found;
    Span unused;
    edges_.out(object, set_, time, unused, [&](Object target, uint32_t cell) {
        found.push_back({target, cell});
        return true;
    });
    return found;
}

// An object, and all that only it leads to.
void RunningTotal::add(Object first, Held held, Object parent, uint32_t cell) {
    struct Next {
        Object object;
        Held held;
        Object parent;
        uint32_t cell;
    };
    std::vector<Next> todo{{first, held, parent, cell}};
    while (!todo.empty()) {
        Next next = todo.back();
        todo.pop_back();
        auto [place, fresh] = members_.try_emplace(next.object);
        if (!fresh)
            continue;
        Member &member = place->second;
        member.held = next.held;
        member.parent = next.parent;
        member.cell = next.cell;
        member.label = next.held == Held::start
                           ? lowest_ -= gap
                           : label_of(next.object, members_.at(next.parent).label);
        refresh(next.object, member);
        for (const Edge &edge : out(next.object, time_))
            if (!find(edge.target))
                todo.push_back({edge.target, Held::edge, next.object, edge.cell});
    }
}

// Above what it may have to hold, if there is room.
RunningTotal::Label RunningTotal::label_of(Object object, Label above) {
    Label label = above + gap;
    for (const Edge &edge : out(object, time_))
        if (Member *below = find(edge.target);
            below && below->held == Held::loose && below->label >= above)
            label = std::min(label, above + (below->label - above) / 2);
    return label;
}

// Everything that is loose is held by another edge, or is no longer a member.
void RunningTotal::settle() {
    while (!loose_.empty()) {
        auto [label, object] = loose_.top();
        loose_.pop();
        Member *member = find(object);
        if (member && member->held == Held::loose && !hold_again(object, label))
            remove(object);
    }
}

bool RunningTotal::hold_again(Object object, Label label) {
    bool found = false;
    edges_.incoming(set_).standing(object, time_, [&](const Incoming &edge) {
        if (found || !is_held(edge.source, label))
            return;
        found = true;
        Member &member = members_.at(object);
        member.held = Held::edge;
        member.parent = edge.source;
        member.cell = edge.cell;
        lower(object, members_.at(edge.source).label);
    });
    return found;
}

// Whether an object is held by the start. None that is loose has a lower label.
bool RunningTotal::is_held(Object object, Label below) {
    for (const Member *at = find(object); at; at = find(at->parent)) {
        if (at->held != Held::edge)
            return at->held == Held::start;
        if (at->label < below)
            return true;
        ++steps_;
    }
    return false;
}

// Gives an object, and what it holds, labels that are no less than one.
void RunningTotal::lower(Object first, Label to) {
    std::vector<Object> todo{first};
    while (!todo.empty()) {
        Object object = todo.back();
        todo.pop_back();
        Member &member = members_.at(object);
        if (member.label >= to)
            continue;
        member.label = to;
        for (const Edge &edge : out(object, time_))
            if (Member *child = find(edge.target);
                child && child->held == Held::edge && child->parent == object)
                todo.push_back(edge.target);
        ++steps_;
    }
}

void RunningTotal::remove(Object object) {
    total_ -= members_.at(object).adds;
    members_.erase(object);
    removed_.push_back(object);
    for (const Edge &edge : out(object, time_))
        if (Member *child = find(edge.target); child && child->held == Held::edge &&
                                               child->parent == object && child->cell == edge.cell)
            loosen(edge.target, *child);
}

// What was removed while that which leads to it was loose.
void RunningTotal::add_again() {
    for (Object object : removed_)
        edges_.incoming(set_).standing(object, time_, [&](const Incoming &edge) {
            if (!find(object) && find(edge.source))
                add(object, Held::edge, edge.source, edge.cell);
        });
    removed_.clear();
}

} // namespace heapstory::constraints
