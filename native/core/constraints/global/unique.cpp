// No two objects of an instance have the same keys.
// SPDX-License-Identifier: GPL-2.0-or-later
//
// An object is looked at again only when what its keys are made of changes. Which instance it is of
// matters only where two have the same keys.
#include "constraints/global/calendar.h"
#include "constraints/global/global_constraint.h"

#include <set>
#include <unordered_map>
#include <unordered_set>

namespace heapstory::constraints {

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

class Unique final : public GlobalConstraint {
  public:
    Unique(uint32_t number, Evaluator &evaluator)
        : GlobalConstraint(number, evaluator), type_(constraint_.variables[0].type),
          calendar_(line_.by_type[type_].size()), group_of_(calendar_.size()) {}

  private:
    using Group = std::pair<const std::string, std::set<Object>>;

    void move(uint64_t time) override {
        calendar_.move(time, [&](uint32_t unit) {
            ++work_;
            leave(unit);
            return look(unit, time);
        });
        found_.clear();
        std::vector<std::pair<Object, Object>> pairs;
        for (const Group *group : crowded_)
            pair_up(group->second, time, pairs);
        std::sort(pairs.begin(), pairs.end());
        for (auto [object, first] : pairs)
            add(line_.head(first), line_.head(object));
    }

    void leave(uint32_t unit) {
        Group *group = group_of_[unit];
        group_of_[unit] = nullptr;
        if (!group)
            return;
        group->second.erase(line_.by_type[type_][unit]);
        if (group->second.size() == 1)
            crowded_.erase(group);
        if (group->second.empty())
            groups_.erase(group->first);
    }

    // Puts an object among those with its keys; the time over which it stays there.
    Span look(uint32_t unit, uint64_t time) {
        Object object = line_.by_type[type_][unit];
        if (!line_.alive(object, time))
            return time < line_.birth[object] ? Span{0, line_.birth[object]}
                                              : Span{line_.death[object], forever};
        evaluator_.begin(time);
        evaluator_.span.narrow(line_.birth[object], line_.death[object]);
        evaluator_.bound.assign(1, {object, 0});
        const Shape &shape = constraint_.shape;
        bool known = !shape.filter || evaluator_.truth(*shape.filter) == Truth::yes;
        key_.clear();
        for (size_t i = 0; known && i < shape.keys.size(); ++i) {
            Value value = evaluator_.evaluate(shape.keys[i]);
            known = value.known();
            append_key(value, key_);
        }
        if (known) {
            Group &group = *groups_.try_emplace(key_).first;
            group.second.insert(object);
            if (group.second.size() == 2)
                crowded_.insert(&group);
            group_of_[unit] = &group;
        }
        return evaluator_.span;
    }

    // Each object after the first of its instance.
    void pair_up(const std::set<Object> &objects, uint64_t time,
                 std::vector<std::pair<Object, Object>> &pairs) {
        evaluator_.begin(time);
        std::unordered_map<uint32_t, Object> firsts;
        bool rooted = plan_.root_sets[type_] != none;
        for (Object object : objects) {
            ++work_;
            uint32_t instance = rooted ? evaluator_.instance(object, type_) : 0;
            auto [at, added] = firsts.try_emplace(instance, object);
            if (!added)
                pairs.emplace_back(object, at->second);
        }
    }

    uint32_t type_;
    Calendar calendar_; // objects of the type, by their place in by_type
    std::vector<Group *> group_of_;
    std::unordered_map<std::string, std::set<Object>> groups_;
    std::unordered_set<Group *> crowded_; // with two or more
    std::string key_;
};

} // namespace

std::unique_ptr<GlobalConstraint> make_unique_keys(uint32_t number, Evaluator &evaluator) {
    return std::make_unique<Unique>(number, evaluator);
}

} // namespace heapstory::constraints
