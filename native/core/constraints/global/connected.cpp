// Every object of an instance can be reached from every other. Asked anew after each change.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "constraints/global/global_constraint.h"

#include <map>

namespace heapstory::constraints {

namespace {

class Connected final : public GlobalConstraint {
  public:
    using GlobalConstraint::GlobalConstraint;

  private:
    void move(uint64_t time) override {
        if (known_ && span_.holds(time))
            return;
        found_.clear();
        work_ += line_.objects();
        evaluator_.begin(time);
        uint32_t type = constraint_.variables[0].type;
        evaluator_.narrow_to_population(type);
        std::map<uint32_t, std::vector<Object>> instances;
        for (Object object : line_.by_type[type])
            if (line_.alive(object, time))
                instances[plan_.root_sets[type] == none ? 0 : evaluator_.instance(object, type)]
                    .push_back(object);
        for (auto &[instance, objects] : instances)
            check(objects);
        span_ = evaluator_.span;
    }

    void check(const std::vector<Object> &objects) {
        uint32_t set = constraint_.shape.edges;
        Object first = line_.head(objects[0]);
        std::vector<Object> ahead{first}, behind{first};
        ahead_.clear(line_.objects());
        behind_.clear(line_.objects());
        evaluator_.reach(ahead, set);
        for (Object object : ahead)
            ahead_.add(object);
        evaluator_.reach_back(behind, set);
        for (Object object : behind)
            behind_.add(object);
        for (Object object : objects) {
            Object head = line_.head(object);
            if (!ahead_.has(head))
                add(first, head);
            if (head != first && !behind_.has(head))
                add(head, first);
        }
    }

    Span span_{1, 0};
    Marks ahead_, behind_;
};

} // namespace

std::unique_ptr<GlobalConstraint> make_connected(uint32_t number, Evaluator &evaluator) {
    return std::make_unique<Connected>(number, evaluator);
}

} // namespace heapstory::constraints
