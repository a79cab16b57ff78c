// SPDX-License-Identifier: GPL-2.0-or-later
#include "slice/reasons.h"

#include <algorithm>
#include <bit>

namespace heapstory::slice {

using stream::RegisterPart;

namespace {

constexpr uint64_t word_size = 8;
constexpr size_t recent = 8;

// Visits each word that a range touches: its address and the bytes of it, as bits.
template <class Visit> void each_word(uint64_t address, uint64_t size, Visit visit) {
    for (const uint64_t end = address + size; address < end;) {
        const uint64_t first = address % word_size;
        const uint64_t count = std::min(word_size - first, end - address);
        visit(address - first, ((uint64_t(1) << count) - 1) << first);
        address += count;
    }
}

// Visits each 8 bytes of a part of the registers: their number and the bytes of them, as bits.
template <class Visit> void each_group(RegisterPart part, Visit visit) {
    for (unsigned i = 0; i < 8; ++i)
        if (const uint64_t bytes = part.bits >> 8 * i & 0xff)
            visit(part.word * 8u + i, bytes);
}

} // namespace

Reasons::Reasons(const Prepared &prepared, const Statements &statements,
                 const std::vector<bool> &stops, size_t most)
    : prepared_(prepared), statements_(statements), stops_(stops), most_(most), moments_(1) {}

Reasons::Open *Reasons::find_open(uint64_t activation, uint32_t statement) {
    auto found = open_.find(activation);
    if (found == open_.end())
        return nullptr;
    auto at = std::ranges::find(found->second, statement, &Open::statement);
    return at == found->second.end() ? nullptr : &*at;
}

// Walking back, an execution of a statement is over where the activation comes to an address that
// is not below those seen of it: the rule of StatementRuns.
void Reasons::pass(uint64_t activation, uint32_t block, unsigned instruction) {
    const uint32_t statement = statements_.of(block, instruction);
    if (!statement)
        return;
    Open *open = find_open(activation, statement);
    if (!open)
        return;
    const uint64_t address = prepared_.effects(block).instructions[instruction].address;
    if (address < open->lowest)
        open->lowest = address;
    else
        std::erase_if(open_[activation], [&](const Open &o) { return o.statement == statement; });
}

void Reasons::pass_block(uint64_t activation, uint32_t block, unsigned instructions) {
    if (!statements_.any_in(block) || !open_.count(activation))
        return;
    for (unsigned i = instructions; i-- > 0;)
        pass(activation, block, i);
}

void Reasons::take(uint64_t step, uint32_t thread, uint64_t activation, uint32_t block,
                   unsigned instruction) {
    if (const uint32_t statement = statements_.of(block, instruction))
        begin(step, thread, activation, statement,
              prepared_.effects(block).instructions[instruction].address);
    else
        begin_caller(step, thread, activation);
}

void Reasons::take_effect(uint64_t step, uint32_t thread, uint64_t activation, uint64_t address) {
    if (const uint32_t statement = statements_.at(address))
        begin(step, thread, activation, statement, address + 1);
    else
        begin_caller(step, thread, activation);
}

void Reasons::begin_caller(uint64_t step, uint32_t thread, uint64_t activation) {
    auto origin = activations_->origins.find(activation);
    while (origin != activations_->origins.end() && origin->second.block) {
        const uint32_t block = origin->second.block;
        activation = origin->second.caller;
        const auto &instructions = prepared_.effects(block).instructions;
        const auto last = unsigned(instructions.size()) - 1;
        if (const uint32_t statement = statements_.of(block, last)) {
            // The call itself is still to come.
            begin(step, thread, activation, statement, instructions[last].address + 1);
            return;
        }
        origin = activations_->origins.find(activation);
    }
    begin(step, thread, 0, 0, 0);
}

void Reasons::begin(uint64_t step, uint32_t thread, uint64_t activation, uint32_t statement,
                    uint64_t position) {
    Open *open = find_open(activation, statement);
    if (!open || open->lowest < position) {
        auto origin = activations_->origins.find(activation);
        const uint64_t stack = origin == activations_->origins.end() ? 0 : origin->second.stack;
        const uint32_t moment =
            new_moment({statement, thread, activation, stack, step, step, false});
        if (open)
            *open = {statement, moment, position};
        else
            open_[activation].push_back({statement, moment, position});
        present_ = moment;
    } else
        present_ = open->moment;
    moments_[present_].first = std::min(moments_[present_].first, step);
}

uint32_t Reasons::new_moment(const Moment &moment) {
    if (moments_.size() < most_) {
        moments_.push_back(moment);
        return uint32_t(moments_.size() - 1);
    }
    auto [found, is_new] = many_.try_emplace(moment.statement, uint32_t(moments_.size()));
    if (is_new) {
        moments_.push_back(moment);
        moments_.back().many = true;
    }
    return found->second;
}

void Reasons::link(uint32_t user, Dependence kind, uint64_t where, uint32_t size,
                   std::optional<uint64_t> value) {
    if (user == present_)
        return;
    auto &numbers = edges_of_[uint64_t(user) << 32 | present_];
    const bool any_place = moments_[user].many || moments_[present_].many;
    for (uint32_t number : numbers) {
        Edge &edge = edges_[number];
        if (edge.kind == kind && (any_place || edge.where == where)) {
            ++edge.count;
            return;
        }
    }
    numbers.push_back(uint32_t(edges_.size()));
    edges_.push_back({user, present_, kind, where, size, value, 1});
}

// A moment's uses follow each other closely, so only the last entries are looked at; that one is
// there twice does no harm. There are no more moments of many executions than statements.
void Reasons::add(Users &users, uint64_t bits, uint32_t moment) {
    const bool many = moments_[moment].many;
    std::vector<User> &list = many ? users.many : users.single;
    const size_t looked_at = many ? list.size() : std::min(list.size(), recent);
    for (size_t i = list.size(); i-- > list.size() - looked_at;)
        if (list[i].moment == moment) {
            list[i].bits |= bits;
            return;
        }
    list.push_back({bits, moment});
}

// Takes some bytes from who waits for them; returns those that anybody waited for.
template <class Visit> uint64_t Reasons::remove(Users &users, uint64_t bits, Visit visit) {
    uint64_t all = 0;
    for (std::vector<User> *list : {&users.single, &users.many}) {
        for (User &user : *list)
            if (const uint64_t common = user.bits & bits) {
                all |= common;
                visit(user.moment, common);
                user.bits &= ~bits;
            }
        std::erase_if(*list, [](const User &user) { return !user.bits; });
    }
    return all;
}

void Reasons::stored(uint64_t address, uint64_t size, std::optional<uint64_t> value) {
    each_word(address, size, [&](uint64_t word, uint64_t bits) {
        auto found = memory_.find(word);
        if (found == memory_.end())
            return;
        remove(found->second, bits, [&](uint32_t user, uint64_t) {
            link(user, Dependence::memory, address, uint32_t(size), value);
        });
        if (found->second.empty())
            memory_.erase(found);
    });
}

void Reasons::loaded(uint64_t address, uint64_t size) {
    each_word(address, size,
              [&](uint64_t word, uint64_t bits) { add(memory_[word], bits, present_); });
}

void Reasons::defined(uint32_t thread, RegisterPart part) {
    each_group(part, [&](unsigned group, uint64_t bytes) {
        remove(registers(thread, group), bytes, [&](uint32_t user, uint64_t bits) {
            const auto first = unsigned(std::countr_zero(bits));
            link(user, Dependence::register_, group * word_size + first,
                 uint32_t(std::popcount(bits)), std::nullopt);
        });
    });
}

void Reasons::used(uint32_t thread, RegisterPart part) {
    each_group(part, [&](unsigned group, uint64_t bytes) {
        add(registers(thread, group), bytes, present_);
    });
}

void Reasons::copied(uint64_t to, uint64_t from, uint64_t size) {
    std::vector<uint64_t> bytes;
    each_word(to, size, [&](uint64_t word, uint64_t bits) {
        auto found = memory_.find(word);
        if (found == memory_.end())
            return;
        uint64_t live = remove(found->second, bits, [&](uint32_t user, uint64_t) {
            link(user, Dependence::memory, to, uint32_t(size), std::nullopt);
        });
        if (found->second.empty())
            memory_.erase(found);
        for (; live; live &= live - 1)
            bytes.push_back(word + unsigned(std::countr_zero(live)) - to);
    });
    for (uint64_t byte : bytes)
        loaded(from + byte, 1);
}

void Reasons::waits(uint64_t activation, uint32_t node) {
    auto &all = waiting_[activation];
    const size_t looked_at = std::min(all.size(), recent);
    for (size_t i = all.size(); i-- > all.size() - looked_at;)
        if (all[i].node == node && all[i].moment == present_)
            return;
    all.push_back({node, present_});
}

void Reasons::waits_as_before(uint64_t activation) {
    waits(activation, as_before);
}

void Reasons::meets(uint64_t activation, uint32_t node) {
    auto found = waiting_.find(activation);
    if (found != waiting_.end())
        for (Waiting &one : found->second)
            if (one.node == as_before)
                one.node = node;
}

void Reasons::decided(uint64_t activation, const FlowGraph &graph, uint32_t branch) {
    auto found = waiting_.find(activation);
    if (found == waiting_.end())
        return;
    for (const Waiting &one : found->second)
        if (one.node != as_before && graph.depends(one.node, branch))
            link(one.moment, Dependence::control, 0, 0, std::nullopt);
    std::erase_if(found->second, [&](const Waiting &one) {
        return one.node != as_before && graph.depends(one.node, branch);
    });
    if (found->second.empty())
        waiting_.erase(found);
}

void Reasons::called(uint64_t callee) {
    auto found = waiting_.find(callee);
    if (found == waiting_.end())
        return;
    for (const Waiting &one : found->second)
        link(one.moment, Dependence::call, 0, 0, std::nullopt);
    waiting_.erase(found);
}

void Reasons::restored(uint32_t thread, unsigned first, uint64_t slot) {
    std::vector<uint32_t> users;
    remove(registers(thread, first / 8), 0xff,
           [&](uint32_t user, uint64_t) { users.push_back(user); });
    for (uint32_t user : users)
        each_word(slot, word_size,
                  [&](uint64_t word, uint64_t bits) { add(memory_[word], bits, user); });
}

void Reasons::saved(uint32_t thread, unsigned first, uint64_t slot) {
    std::vector<uint32_t> users;
    each_word(slot, word_size, [&](uint64_t word, uint64_t bits) {
        auto found = memory_.find(word);
        if (found == memory_.end())
            return;
        remove(found->second, bits, [&](uint32_t user, uint64_t) { users.push_back(user); });
        if (found->second.empty())
            memory_.erase(found);
    });
    for (uint32_t user : users)
        add(registers(thread, first / 8), 0xff, user);
}

void Reasons::forget(uint64_t address, uint64_t size) {
    each_word(address, size, [&](uint64_t word, uint64_t bits) {
        auto found = memory_.find(word);
        if (found == memory_.end())
            return;
        remove(found->second, bits, [](uint32_t, uint64_t) {});
        if (found->second.empty())
            memory_.erase(found);
    });
}

void Reasons::forget(uint32_t thread, RegisterPart part) {
    each_group(part, [&](unsigned group, uint64_t bytes) {
        remove(registers(thread, group), bytes, [](uint32_t, uint64_t) {});
    });
}

} // namespace heapstory::slice
