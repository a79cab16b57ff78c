// Every object of a type can be reached from a root of its type.
// SPDX-License-Identifier: GPL-2.0-or-later
//
// Of the objects that are lost those count that no other lost object leads to, except around a
// cycle, which counts once. Going up from any lost object along the edges ends there:
//  - at an object that nothing points to (`alone_`),
//  - at one to which only objects of other types lead (`odd_`: what leads to these is searched), or
//  - in a cycle, of which `Cycles` knows an edge.
// So none of the objects that are not lost need be visited. Whether an object is alone or odd
// depends on the edges to it and nothing else.
#include "constraints/global/global_constraint.h"

#include <set>

namespace heapstory::constraints {

namespace {

class Rooted final : public GlobalConstraint {
  public:
    Rooted(uint32_t number, Evaluator &evaluator, AllCycles &cycles)
        : GlobalConstraint(number, evaluator), type_(constraint_.variables[0].type),
          roots_(plan_.root_sets[type_]), cycles_(cycles.of(0)) {}
    uint64_t work() const override { return work_ + cycles_.work(); }

  private:
    void move(uint64_t time) override {
        if (roots_ == none)
            return;
        if (!known_)
            for (Object object : line_.by_type[type_])
                look(line_.head(object), time);
        else
            look_at_changed(time);
        std::set<Object> firsts(alone_.begin(), alone_.end());
        for (Object head : odd_)
            if (search_above(head, time) && of_type(above_) == 1)
                firsts.insert(head);
        for (auto [source, target] : cycles_.at(time))
            if (search_above(target, time))
                if (Object first = first_of_cycle(target, time); first != no_object)
                    firsts.insert(first);
        found_.clear();
        for (Object head : firsts)
            found_.push_back({number_, {{line_.facet(head, type_), 0}}});
    }

    void look_at_changed(uint64_t time) {
        auto look_at_targets = [&](uint32_t cell) {
            Span unused;
            for (uint64_t moment : {time_, time})
                if (Object target = edges_.target(cell, moment, unused); target != no_object)
                    look(target, time);
        };
        for (uint32_t set : {uint32_t(0), roots_})
            edges_.for_each_change(set, time_, time, look_at_targets);
        edges_.lives().between(time_, time, [&](Object object) { look(line_.head(object), time); });
    }

    void look(Object head, uint64_t time) {
        ++work_;
        alone_.erase(head);
        odd_.erase(head);
        Span unused;
        if (!line_.alive(head, time) || line_.facet(head, type_) == no_object ||
            edges_.incoming(roots_).count(head, time, unused))
            return;
        bool any = false, alike = false;
        edges_.incoming(0).standing(head, time, [&](const Incoming &edge) {
            any = true;
            alike |= edge.source != head && line_.facet(edge.source, type_) != no_object;
        });
        if (!any)
            alone_.insert(head);
        else if (!alike)
            odd_.insert(head);
    }

    // Whether an object is lost; `above_` are then all that lead to it, and itself.
    bool search_above(Object head, uint64_t time) {
        const IncomingIndex &held = edges_.incoming(roots_), &incoming = edges_.incoming(0);
        marks_.clear(line_.objects());
        marks_.add(head);
        above_.assign(1, head);
        Span unused;
        for (size_t i = 0; i < above_.size(); ++i) {
            ++work_;
            if (held.count(above_[i], time, unused))
                return false;
            incoming.standing(above_[i], time, [&](const Incoming &edge) {
                if (marks_.add(edge.source))
                    above_.push_back(edge.source);
            });
        }
        return true;
    }

    size_t of_type(const std::vector<Object> &heads) const {
        return size_t(std::count_if(heads.begin(), heads.end(), [&](Object head) {
            return line_.facet(head, type_) != no_object;
        }));
    }

    // The first object of a lost cycle, if all that leads to it (`above_`) is part of it.
    Object first_of_cycle(Object head, uint64_t time) {
        around_.clear(line_.objects());
        around_.add(head);
        std::vector<Object> cycle{head};
        Span unused;
        for (size_t i = 0; i < cycle.size(); ++i)
            edges_.out(cycle[i], 0, time, unused, [&](Object next, uint32_t) {
                if (marks_.has(next) && around_.add(next))
                    cycle.push_back(next);
                return true;
            });
        work_ += cycle.size();
        Object first = no_object;
        for (Object object : cycle)
            if (line_.facet(object, type_) != no_object)
                first = std::min(first, object);
        return of_type(cycle) == of_type(above_) ? first : no_object;
    }

    uint32_t type_, roots_;
    Cycles &cycles_;
    std::set<Object> alone_, odd_; // heads
    std::vector<Object> above_;
    Marks marks_, around_;
};

} // namespace

std::unique_ptr<GlobalConstraint> make_rooted(uint32_t number, Evaluator &evaluator,
                                              AllCycles &cycles) {
    return std::make_unique<Rooted>(number, evaluator, cycles);
}

} // namespace heapstory::constraints
