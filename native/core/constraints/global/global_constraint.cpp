// SPDX-License-Identifier: GPL-2.0-or-later
#include "constraints/global/global_constraint.h"

namespace heapstory::constraints {

// Heads stand for their facets of the variables' types.
void GlobalConstraint::add(Object first, Object second) {
    Inconsistency e{number_, {}};
    for (size_t i = 0; i < 2; ++i) {
        Object head = i ? second : first;
        Object object = line_.facet(head, constraint_.variables[i].type);
        e.binding.push_back({object == no_object ? head : object, 0});
    }
    found_.push_back(std::move(e));
}

namespace {

class Acyclic final : public GlobalConstraint {
  public:
    Acyclic(uint32_t number, Evaluator &evaluator, AllCycles &cycles)
        : GlobalConstraint(number, evaluator), cycles_(cycles.of(constraint_.shape.edges)) {}
    bool holds(uint64_t time) override { return !cycles_.any(time); }
    uint64_t work() const override { return cycles_.work(); }

  private:
    void move(uint64_t time) override {
        found_.clear();
        for (auto [source, target] : cycles_.at(time))
            add(source, target);
    }

    Cycles &cycles_;
};

} // namespace

std::unique_ptr<GlobalConstraint> make_acyclic(uint32_t number, Evaluator &evaluator,
                                               AllCycles &cycles) {
    return std::make_unique<Acyclic>(number, evaluator, cycles);
}

std::unique_ptr<GlobalConstraint> make_global(uint32_t number, Evaluator &evaluator,
                                              AllCycles &cycles) {
    switch (evaluator.plan().constraints[number].shape.kind) {
    case ShapeKind::acyclic:
        return make_acyclic(number, evaluator, cycles);
    case ShapeKind::rooted:
        return make_rooted(number, evaluator, cycles);
    case ShapeKind::connected:
        return make_connected(number, evaluator);
    case ShapeKind::unique:
        return make_unique_keys(number, evaluator);
    case ShapeKind::nested:
        break;
    }
    return nullptr;
}

} // namespace heapstory::constraints
