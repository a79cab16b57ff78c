// SPDX-License-Identifier: GPL-2.0-or-later
#include "constraints/search/traceback.h"

#include <map>

namespace heapstory::constraints {

namespace {

constexpr size_t most_cuts = 8;     // the last ones
constexpr size_t most_fed = 1000;   // inconsistencies whose values are followed
constexpr size_t most_traced = 128; // inconsistencies that are traced back

// Some of each constraint: where thousands of objects are in the same trouble, these will tell.
std::vector<Inconsistency> some_of_each(const std::vector<Inconsistency> &all) {
    if (all.size() <= most_traced)
        return all;
    std::map<uint32_t, size_t> taken; // by constraint
    for (const Inconsistency &e : all)
        taken[e.constraint] = 0;
    size_t share = std::max<size_t>(1, most_traced / taken.size());
    std::vector<Inconsistency> out;
    for (const Inconsistency &e : all)
        if (taken[e.constraint]++ < share)
            out.push_back(e);
    return out;
}

bool same(const std::vector<Value> &a, const std::vector<Value> &b) {
    return a.size() == b.size() &&
           std::equal(a.begin(), a.end(), b.begin(),
                      [](const Value &x, const Value &y) { return x.same(y); });
}

} // namespace

Traceback::Traceback(Checker &checker, const Forward &forward, uint64_t time, uint64_t floor)
    : checker_(checker), line_(checker.line()), plan_(checker.plan()), forward_(forward),
      time_(time), floor_(floor), units_(time) {}

// Queues a pending inconsistency for the last change of its arguments.
void Traceback::push(uint32_t number, uint64_t since) {
    if (since)
        queue_.push({since, number});
    else
        pending_[number] = 0; // it was never otherwise
}

void Traceback::add(const Inconsistency &e, uint64_t time, bool direct) {
    auto [at, added] = numbers_.try_emplace(e, uint32_t(known_.size()));
    if (added) {
        known_.push_back(e);
        pending_.push_back(0);
        direct_.push_back(0);
    }
    if (pending_[at->second])
        return;
    direct_[at->second] = direct;
    pending_[at->second] = 1;
    Span span;
    checker_.nested().arguments(e, time, span);
    push(at->second, span.since);
}

bool Traceback::changes(const Inconsistency &e, uint64_t time, Span &before) {
    Span unused;
    std::vector<Value> after = checker_.nested().arguments(e, time, unused);
    return !same(checker_.nested().arguments(e, time - 1, before), after);
}

std::vector<Fault> Traceback::run(const std::vector<Inconsistency> &inconsistencies) {
    std::vector<Inconsistency> some = some_of_each(inconsistencies);
    traced_ = some.size();
    for (const Inconsistency &e : some)
        add(e, time_, true);
    std::vector<uint32_t> numbers;
    while (!queue_.empty()) {
        uint64_t time = queue_.top().since;
        numbers.clear();
        for (; !queue_.empty() && queue_.top().since == time; queue_.pop())
            numbers.push_back(queue_.top().number);
        std::sort(numbers.begin(), numbers.end());
        step(time, numbers);
    }
    add_fed(inconsistencies);
    std::sort(faults_.begin(), faults_.end(), [](const Fault &a, const Fault &b) {
        return a.relation != b.relation ? a.relation < b.relation : a.time < b.time;
    });
    return std::move(faults_);
}

// Values that are wrong from the start do no harm until they are linked in: the search ends there.
// So the last writes of what the inconsistencies read are named as well, the free of a block that a
// stale pointer leads to, the first store of an address that is nobody's, and where a lost part was
// cut off.
void Traceback::add_fed(const std::vector<Inconsistency> &inconsistencies) {
    std::map<uint64_t, const Inconsistency *> times;
    std::unordered_map<uint64_t, const Inconsistency *> wild;
    for (size_t i = 0; i < std::min(inconsistencies.size(), most_fed); ++i) {
        const Inconsistency &e = inconsistencies[i];
        for (const Value &value :
             checker_.nested().reads(e, time_, [&](uint64_t since) { times.emplace(since, &e); })) {
            if (value.state == PointerState::stale)
                times.emplace(line_.blocks[value.block].death, &e);
            else if (value.state == PointerState::wild)
                wild.emplace(value.address, &e);
        }
    }
    std::set<uint32_t> cut;
    for (const Inconsistency &e : inconsistencies)
        if (plan_.constraints[e.constraint].shape.kind == ShapeKind::rooted &&
            cut.insert(e.constraint).second)
            for (uint64_t time : cuts(e.constraint))
                times.emplace(time, &e);
    std::unordered_map<uint64_t, uint64_t> firsts;
    if (!wild.empty())
        for (const Version &version : line_.versions)
            if (version.since > floor_ && wild.contains(version.value)) {
                auto [at, added] = firsts.try_emplace(version.value, version.since);
                at->second = std::min(at->second, version.since);
            }
    for (auto [value, time] : firsts)
        times.emplace(time, wild[value]);
    for (const Fault &fault : faults_)
        times.erase(fault.time);
    for (auto [time, e] : times)
        if (time > floor_ && time <= time_)
            faults_.push_back({time, Fault::Relation::fed, {*e}});
}

// One witness stands for a whole lost part; where each object of it lost its last edge from
// outside.
std::set<uint64_t> Traceback::cuts(uint32_t constraint) {
    std::set<uint64_t> times;
    std::vector<Object> lost = checker_.lost(constraint, time_);
    uint32_t type = plan_.constraints[constraint].variables[0].type;
    for (Object object : lost) {
        uint64_t last = 0;
        for (uint32_t set : {uint32_t(0), plan_.root_sets[type]})
            for (const Incoming &edge : checker_.edges().incoming(set).of(object))
                if (edge.until <= time_ &&
                    !std::binary_search(lost.begin(), lost.end(), edge.source))
                    last = std::max(last, edge.until);
        if (last > floor_)
            times.insert(last);
        if (times.size() > most_cuts)
            times.erase(times.begin());
    }
    return times;
}

// The operation at `time`, with the pending inconsistencies whose arguments it may have changed.
void Traceback::step(uint64_t time, const std::vector<uint32_t> &numbers) {
    std::vector<uint32_t> contributed;
    std::vector<uint64_t> sinces; // of their arguments before it
    for (uint32_t number : numbers) {
        Span before;
        if (changes(known_[number], time, before)) {
            contributed.push_back(number);
            sinces.push_back(before.since);
        } else {
            push(number, before.since);
        }
    }
    if (contributed.empty())
        return;
    Fault fault{time, Fault::Relation::related, {}};
    for (uint32_t number : contributed) {
        fault.contributed_to.push_back(known_[number]);
        if (direct_[number])
            fault.relation = Fault::Relation::direct;
    }
    faults_.push_back(std::move(fault));
    std::vector<Inconsistency> others = related(time);
    for (size_t i = 0; i < contributed.size(); ++i) {
        uint32_t number = contributed[i];
        pending_[number] = checker_.nested().is_inconsistent(known_[number], time - 1);
        if (pending_[number])
            push(number, sinces[i]);
    }
    for (const Inconsistency &e : others) {
        // Related to one that the operation contributed to, other than itself.
        bool itself = contributed.size() == 1 && known_[contributed[0]] == e;
        if (!itself)
            add(e, time - 1, false);
    }
}

// Inconsistencies just before the operation whose arguments it changed.
std::vector<Inconsistency> Traceback::related(uint64_t time) {
    std::vector<Inconsistency> out;
    related_units(time, out);
    related_globals(time, out);
    std::sort(out.begin(), out.end());
    return out;
}

void Traceback::prepare_units() {
    prepared_ = true;
    forward_.for_each_unit([&](const Unit &unit, uint64_t since) {
        Object object = unit.object;
        if (line_.birth[object] > time_ || line_.death[object] <= floor_)
            return;
        // The end of an object is the last change of whatever depends on it.
        if (!line_.alive(object, time_))
            since = line_.death[object];
        else if (since == Forward::unseen)
            since = time_;
        if (since > floor_)
            units_.push(since, unit);
    });
}

void Traceback::related_units(uint64_t time, std::vector<Inconsistency> &out) {
    if (!prepared_)
        prepare_units();
    auto collect = [&](const Unit &unit, uint64_t at, std::vector<Inconsistency> *found) {
        Span span;
        checker_.nested().check_object(unit.constraint, unit.object, at, span,
                                       [&](Inconsistency e) {
                                           if (found)
                                               found->push_back(std::move(e));
                                           return true;
                                       });
        return span;
    };
    units_.take(time, [&](uint64_t since, const Unit &unit) {
        Object object = unit.object;
        if (line_.birth[object] >= time)
            return; // not there before the operation
        if (since > time) {
            since = line_.alive(object, time) ? collect(unit, time, nullptr).since
                                              : line_.death[object];
        }
        if (since == time) {
            std::vector<Inconsistency> before;
            since = collect(unit, time - 1, &before).since;
            Span unused;
            for (Inconsistency &e : before)
                if (changes(e, time, unused))
                    out.push_back(std::move(e));
        }
        if (since > floor_)
            units_.push(since, unit);
    });
}

void Traceback::related_globals(uint64_t time, std::vector<Inconsistency> &out) {
    Span unused;
    for (uint32_t c = 0; c < plan_.constraints.size(); ++c)
        if (GlobalConstraint *global = checker_.global(c))
            for (const Inconsistency &e : global->at(time - 1))
                if (changes(e, time, unused))
                    out.push_back(e);
}

} // namespace heapstory::constraints
