// A count or sum over all that can be reached from a start, moved from one moment to another.
// SPDX-License-Identifier: GPL-2.0-or-later
//
// The objects that are reached form a tree: each has the edge by which it is held. Each also has
// the time over which its own edges, and what it adds to the total, stay as they are; on the way to
// another moment only the objects whose time ends are looked at again. Where the edge that holds an
// object is gone, another one is looked for among those that lead to it. That must not come from
// below the object itself, and not from below another one that is loose. Labels tell: they do not
// fall on the way down, and the loose objects are taken by their labels, lowest first. So what has
// a lower label than the object is held for sure.
#pragma once

#include "constraints/timeline/edges.h"

#include <functional>
#include <optional>
#include <queue>
#include <unordered_map>
#include <vector>

namespace heapstory::constraints {

class RunningTotal {
  public:
    // What an object (a head) adds as of a moment, none if that is no integer; narrows the span.
    using Added = std::function<std::optional<Integer>(Object, uint64_t time, Span &)>;

    RunningTotal(const Edges &edges, uint32_t set, Added added)
        : edges_(edges), set_(set), added_(std::move(added)) {}

    // The total as of a moment, and the time over which it holds; none if it cannot be kept.
    std::optional<Integer> at(Object start, uint64_t time, Span &span);
    size_t members() const { return members_.size(); }

  private:
    using Label = int64_t;
    static constexpr Label gap = Label(1) << 32;
    enum class Held : uint8_t { start, edge, loose };
    struct Member {
        Held held = Held::edge;
        Object parent = no_object;
        uint32_t cell = 0; // of the parent
        Label label = 0;
        Span span;
        Integer adds = 0;
    };
    using Moment = std::pair<uint64_t, Object>;
    struct Edge {
        Object target;
        uint32_t cell;
    };
    struct Loose {
        Label label;
        Object object;
        bool operator<(const Loose &other) const { return label > other.label; }
    };

    void restart(Object start);
    void move(Object start, uint64_t time);
    std::vector<Object> ended(uint64_t time);
    void loosen_children(Object object, uint64_t before);
    void loosen(Object object, Member &member);
    void set_start(Object start);
    void refresh(Object object, Member &member);
    void add(Object object, Held held, Object parent, uint32_t cell);
    Label label_of(Object object, Label above);
    void settle();
    bool hold_again(Object object, Label label);
    bool is_held(Object object, Label below);
    void lower(Object object, Label to);
    void remove(Object object);
    void add_again();
    void note(Object object, const Span &span);
    bool has(Object object, uint64_t Span::*end, uint64_t time) const;
    std::vector<Edge> out(Object object, uint64_t time) const;
    Member *find(Object object) {
        auto found = members_.find(object);
        return found == members_.end() ? nullptr : &found->second;
    }

    const Edges &edges_;
    uint32_t set_;
    Added added_;
    uint64_t time_ = forever; // none yet
    Object start_ = no_object;
    std::unordered_map<Object, Member> members_;
    Integer total_ = 0;
    bool possible_ = true;
    Label lowest_ = 0;
    size_t steps_ = 0; // that labels did not save, since they were given
    // When the time of members begins and ends; entries of what has changed since are skipped.
    std::priority_queue<Moment, std::vector<Moment>, std::greater<>> untils_;
    std::priority_queue<Moment> sinces_;
    std::priority_queue<Loose> loose_;
    std::vector<Object> removed_;
};

} // namespace heapstory::constraints
