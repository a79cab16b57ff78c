// SPDX-License-Identifier: GPL-2.0-or-later
#include "dependences.h"

#include "slice/backward.h"
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

Dependences::Dependences(const slice::Prepared &prepared)
    : instances_(slice::instances(prepared, {prepared.steps() - 1, 0xfffe})) {
    std::unordered_map<uint64_t, size_t> last; // by byte of memory or register
    for (size_t number = 0; number < instances_.size(); ++number) {
        const Instance &one = instances_[number];
        std::set<size_t> on;
        for (const Reference &used : one.used)
            for (uint64_t at = used.first; at < used.end; ++at)
                if (auto found = last.find(at); found != last.end())
                    on.insert(found->second);
        if (one.parent)
            on.insert(one.parent - 1);
        on_.emplace_back(on.begin(), on.end());
        for (const Reference &defined : one.defined)
            for (uint64_t at = defined.first; at < defined.end; ++at)
                last[at] = number;
    }
}

std::vector<bool> Dependences::influenced(size_t number) const {
    std::vector<bool> result(instances_.size());
    result[number] = true;
    for (size_t later = number + 1; later < instances_.size(); ++later)
        for (size_t on : on_[later])
            if (result[on])
                result[later] = true;
    return result;
}

namespace {

slice::Criterion at(const Instance &instance) {
    return slice::Criterion::at({instance.step, instance.instruction});
}

std::string name(const slice::Prepared &prepared, const Instance &one) {
    char text[64];
    const auto &all = prepared.effects(one.block).instructions;
    std::snprintf(text, sizeof text, "%#lx in step %lu", all[one.instruction].address, one.step);
    return text;
}

bool is_plain(const slice::Prepared &prepared, const Instance &one) {
    return prepared.effects(one.block).instructions[one.instruction].role == stream::Role::plain;
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

    // Forward from one, backward from the other, and what lies between. With conventions a forward
    // slice may hold more: the two look at saved registers from different ends.
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
        if (options.conventions ? expected && !has : has != expected)
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
    std::uniform_int_distribution<size_t> any(0, comparison.size() - 1);
    for (unsigned i = 0; i < samples; ++i) {
        const size_t one = any(random),
                     other = i % 2 ? any(random) : comparison.influenced(one, random);
        comparison.whole(one);
        for (unsigned bits = 0; bits < 16; ++bits)
            comparison.pair(std::min(one, other), std::max(one, other),
                            {bool(bits & 1), bool(bits & 2), bool(bits & 4), bool(bits & 8)});
    }
}
