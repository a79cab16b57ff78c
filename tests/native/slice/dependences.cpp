// SPDX-License-Identifier: GPL-2.0-or-later
#include "dependences.h"

#include "slice/backward/backward.h"
#include "slice/chop.h"
#include "slice/forward.h"

#include <algorithm>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <unordered_map>

using namespace heapstory;
using slice::Instance;
using slice::Reference;

void Dependences::Makers::add(const Makers &other) {
    instances.insert(other.instances.begin(), other.instances.end());
    copies.insert(other.copies.begin(), other.copies.end());
}

bool Dependences::Makers::any(const std::vector<bool> &in, const std::vector<bool> &copied) const {
    return std::any_of(instances.begin(), instances.end(), [&](size_t one) { return in[one]; }) ||
           std::any_of(copies.begin(), copies.end(), [&](size_t one) { return copied[one]; });
}

Dependences::Dependences(const slice::Prepared &prepared)
    : instances_(slice::instances(prepared, {prepared.steps() - 1, 0xfffe})) {
    Bytes last;
    for (size_t number = 0; number < instances_.size(); ++number) {
        const Instance &one = instances_[number];
        Makers on;
        for (const Reference &used : one.used)
            for (uint64_t at = used.first; at < used.end; ++at)
                if (auto found = last.find(at); found != last.end())
                    on.add(found->second);
        if (one.parent)
            on.instances.insert(one.parent - 1);
        on_.push_back(on);
        copy(number, last);
        for (size_t i = one.copies; i < one.defined.size(); ++i)
            for (uint64_t at = one.defined[i].first; at < one.defined[i].end; ++at)
                last[at] = {{number}, {}};
    }
}

// Each byte comes from where it was copied from, and from what else the copy depends on.
void Dependences::copy(size_t number, Bytes &last) {
    const Instance &one = instances_[number];
    if (!one.copies)
        return;
    Makers bring;
    for (size_t i = one.copies; i < one.used.size(); ++i)
        for (uint64_t at = one.used[i].first; at < one.used[i].end; ++at)
            if (auto found = last.find(at); found != last.end())
                bring.add(found->second);
    if (one.parent)
        bring.instances.insert(one.parent - 1);
    brought_[number] = bring;
    std::vector<std::pair<uint64_t, Makers>> made;
    for (size_t i = 0; i < one.copies; ++i)
        for (uint64_t at = one.used[i].first; at < one.used[i].end; ++at) {
            made.push_back({at - one.used[i].first + one.defined[i].first, {{}, {number}}});
            if (auto found = last.find(at); found != last.end())
                made.back().second.add(found->second);
        }
    for (auto &[at, makers] : made)
        last[at] = makers;
}

std::vector<bool> Dependences::influenced(size_t number) const {
    std::vector<bool> result(instances_.size()), copied(instances_.size());
    result[number] = copied[number] = true;
    for (size_t later = number + 1; later < instances_.size(); ++later) {
        result[later] = on_[later].any(result, copied);
        if (auto found = brought_.find(later); found != brought_.end())
            copied[later] = found->second.any(result, copied);
    }
    return result;
}

namespace {

slice::Criterion at(const Instance &instance) {
    return slice::Criterion::at({instance.step, instance.instruction});
}

std::string name(const slice::Prepared &prepared, const Instance &one) {
    char text[64];
    if (!one.block)
        return "the effect in step " + std::to_string(one.step);
    const auto &all = prepared.effects(one.block).instructions;
    std::snprintf(text, sizeof text, "%#lx in step %lu", all[one.instruction].address, one.step);
    return text;
}

bool is_plain(const slice::Prepared &prepared, const Instance &one) {
    return !one.block ||
           prepared.effects(one.block).instructions[one.instruction].role == stream::Role::plain;
}

class Comparison {
  public:
    explicit Comparison(const slice::Prepared &prepared)
        : prepared_(prepared), graph_(prepared), all_(graph_.instances()) {}

    // Every instance, the calling convention being nothing special.
    void whole(size_t from) const {
        const slice::Options options{true, true, false, true};
        slice::Marks found(prepared_);
        slice::forward(prepared_, {at(all_[from]), {}}, options, {}, &found);
        std::vector<bool> expected = graph_.influenced(from);
        for (size_t number = 0; number < all_.size(); ++number)
            if (found.has(all_[number].step, all_[number].instruction) != expected[number])
                differ("the graph", from, number, expected[number]);
    }

    // Forward from one, backward from the other, and what lies between.
    void pair(size_t from, size_t to, const slice::Options &options) const {
        if (options.conventions &&
            !(is_plain(prepared_, all_[from]) && is_plain(prepared_, all_[to])))
            return;
        slice::Marks found(prepared_), one(prepared_);
        one.add(all_[from].step, all_[from].instruction);
        slice::forward(prepared_, {at(all_[from]), {}}, options, {}, &found);
        const bool expected =
            slice::backward(prepared_, at(all_[to]), options, {}, &one).instructions;
        const bool has = found.has(all_[to].step, all_[to].instruction);
        if (has != expected)
            differ("backward", from, to, expected);
        const uint64_t between =
            slice::chop(prepared_, at(all_[from]), at(all_[to]), options).instructions;
        if ((between != 0) != has)
            differ("chop", from, to, has);
        if (!options.conventions && options.data && options.control && options.addresses &&
            between != counted(from, to))
            throw std::runtime_error("a chop has " + std::to_string(between) + " executions, not " +
                                     std::to_string(counted(from, to)));
    }

    size_t size() const { return all_.size(); }
    // Those that are no instructions.
    std::vector<size_t> effects() const {
        std::vector<size_t> found;
        for (size_t number = 0; number < all_.size(); ++number)
            if (!all_[number].block)
                found.push_back(number);
        return found;
    }
    // One of those that depend on an instance.
    size_t influenced(size_t from, std::mt19937 &random) const {
        std::vector<bool> all = graph_.influenced(from);
        size_t left = random() % size_t(std::count(all.begin(), all.end(), true));
        for (size_t number = 0;; ++number)
            if (all[number] && !left--)
                return number;
    }

  private:
    uint64_t counted(size_t from, size_t to) const {
        slice::Marks reached(prepared_);
        std::vector<bool> expected = graph_.influenced(from);
        for (size_t number = 0; number < all_.size(); ++number)
            if (expected[number])
                reached.add(all_[number].step, all_[number].instruction);
        const slice::Options options{true, true, false, true};
        return slice::backward(prepared_, at(all_[to]), options, {}, &reached).instructions;
    }

    [[noreturn]] void differ(const char *with, size_t from, size_t to, bool expected) const {
        throw std::runtime_error(std::string("unlike ") + with + ": " + name(prepared_, all_[to]) +
                                 " is " + (expected ? "" : "not ") + "influenced by " +
                                 name(prepared_, all_[from]));
    }

    const slice::Prepared &prepared_;
    const Dependences graph_;
    const std::vector<Instance> &all_;
};

} // namespace

void compare_forward(const slice::Prepared &prepared, unsigned samples, unsigned seed) {
    const Comparison comparison(prepared);
    std::mt19937 random(seed);
    const std::vector<size_t> effects = comparison.effects();
    auto any = [&] { return random() % comparison.size(); };
    for (unsigned i = 0; i < samples; ++i) {
        const size_t one = i % 3 == 0 && !effects.empty() ? effects[random() % effects.size()]
                                                          : any(),
                     other = i % 2 ? any() : comparison.influenced(one, random);
        comparison.whole(one);
        for (unsigned bits = 0; bits < 16; ++bits)
            comparison.pair(std::min(one, other), std::max(one, other),
                            {bool(bits & 1), bool(bits & 2), bool(bits & 4), bool(bits & 8)});
    }
}
