// SPDX-License-Identifier: GPL-2.0-or-later
#include "slice/backward/reasons.h"

#include <algorithm>
#include <bit>
#include <utility>

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
    if (singles_ < most_) {
        ++singles_;
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

void Reasons::link(const User &user, Dependence kind, uint64_t where, uint32_t size,
                   std::optional<uint64_t> value) {
    if (user.moment == present_)
        return;
    const bool stands_in = is_stand_in(user.moment);
    const auto bytes = uint8_t(!stands_in ? 0 : user.moved ? 0xff : user.bits);
    if (event_) {
        edges_.push_back({user.moment, present_, kind, where, size, value, 1, bytes, event_});
        return;
    }
    const bool any_place = moments_[user.moment].many || moments_[present_].many;
    const uint32_t number = edges_between_.find(user.moment, present_, [&](uint32_t known) {
        const Edge &edge = edges_[known];
        return edge.kind == kind && edge.bytes == bytes && (any_place || edge.where == where);
    });
    if (number != EdgesBetween::none) {
        ++edges_[number].count;
        return;
    }
    edges_between_.add(user.moment, present_, uint32_t(edges_.size()));
    edges_.push_back({user.moment, present_, kind, where, size, value, 1, bytes, 0});
}

void Reasons::begin_event(const Users &users) {
    const bool any = std::ranges::any_of(
        users.single, [&](const User &user) { return is_stand_in(user.moment); });
    event_ = any ? ++events_ : 0;
}

// A moment's uses follow each other closely, so only the last entries are looked at; that one is
// there twice does no harm. There are no more moments of many executions than statements.
void Reasons::add(Users &users, User user) {
    const bool many = moments_[user.moment].many;
    std::vector<User> &list = many ? users.many : users.single;
    const size_t looked_at = many ? list.size() : std::min(list.size(), recent);
    for (size_t i = list.size(); i-- > list.size() - looked_at;)
        if (list[i].moment == user.moment) {
            list[i].bits |= user.bits;
            list[i].moved |= user.moved;
            return;
        }
    list.push_back(user);
}

// Takes some bytes from who waits for them; returns those that anybody waited for.
template <class Visit> uint64_t Reasons::remove(Users &users, uint64_t bits, Visit visit) {
    uint64_t all = 0;
    for (std::vector<User> *list : {&users.single, &users.many}) {
        for (User &user : *list)
            if (const uint64_t common = user.bits & bits) {
                all |= common;
                visit(User{common, user.moment, user.moved});
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
        begin_event(found->second);
        remove(found->second, bits, [&](const User &user) {
            link(user, Dependence::memory, address, uint32_t(size), value);
        });
        if (found->second.empty())
            memory_.erase(found);
    });
}

void Reasons::loaded(uint64_t address, uint64_t size) {
    each_word(address, size, [&](uint64_t word, uint64_t bits) {
        add(memory_[word], {bits, present_});
    });
}

void Reasons::defined(uint32_t thread, RegisterPart part) {
    each_group(part, [&](unsigned group, uint64_t bytes) {
        begin_event(registers(thread, group));
        remove(registers(thread, group), bytes, [&](const User &user) {
            const auto first = unsigned(std::countr_zero(user.bits));
            link(user, Dependence::register_, group * word_size + first,
                 uint32_t(std::popcount(user.bits)), std::nullopt);
        });
    });
}

void Reasons::used(uint32_t thread, RegisterPart part) {
    each_group(part, [&](unsigned group, uint64_t bytes) {
        add(registers(thread, group), {bytes, present_});
    });
}

void Reasons::copied(uint64_t to, uint64_t from, uint64_t size) {
    std::vector<uint64_t> bytes;
    each_word(to, size, [&](uint64_t word, uint64_t bits) {
        auto found = memory_.find(word);
        if (found == memory_.end())
            return;
        begin_event(found->second);
        uint64_t live = remove(found->second, bits, [&](const User &user) {
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

// Of a stand-in and a moment that wait for the same node, one may be the other.
template <class Links>
void Reasons::link_waiting(std::vector<Waiting> &all, Dependence kind, Links links) {
    const bool any = std::ranges::any_of(
        all, [&](const Waiting &one) { return is_stand_in(one.moment) && links(one); });
    std::unordered_map<uint32_t, uint32_t> events; // by node
    for (const Waiting &one : all)
        if (links(one)) {
            event_ = 0;
            if (any && !(event_ = events[one.node]))
                event_ = events[one.node] = ++events_;
            link({1, one.moment}, kind, 0, 0, std::nullopt);
        }
    std::erase_if(all, links);
}

void Reasons::decided(uint64_t activation, const FlowGraph &graph, uint32_t branch) {
    auto found = waiting_.find(activation);
    if (found == waiting_.end())
        return;
    link_waiting(found->second, Dependence::control, [&](const Waiting &one) {
        return one.node != as_before && graph.depends(one.node, branch);
    });
    if (found->second.empty())
        waiting_.erase(found);
}

void Reasons::called(uint64_t callee) {
    auto found = waiting_.find(callee);
    if (found == waiting_.end())
        return;
    link_waiting(found->second, Dependence::call, [](const Waiting &) { return true; });
    waiting_.erase(found);
}

void Reasons::restored(uint32_t thread, unsigned first, uint64_t slot) {
    std::vector<uint32_t> users;
    remove(registers(thread, first / 8), 0xff,
           [&](const User &user) { users.push_back(user.moment); });
    for (uint32_t user : users)
        each_word(slot, word_size, [&](uint64_t word, uint64_t bits) {
            add(memory_[word], {bits, user, true});
        });
}

void Reasons::saved(uint32_t thread, unsigned first, uint64_t slot) {
    std::vector<uint32_t> users;
    each_word(slot, word_size, [&](uint64_t word, uint64_t bits) {
        auto found = memory_.find(word);
        if (found == memory_.end())
            return;
        remove(found->second, bits, [&](const User &user) { users.push_back(user.moment); });
        if (found->second.empty())
            memory_.erase(found);
    });
    for (uint32_t user : users)
        add(registers(thread, first / 8), {0xff, user, true});
}

void Reasons::forget(uint64_t address, uint64_t size) {
    each_word(address, size, [&](uint64_t word, uint64_t bits) {
        auto found = memory_.find(word);
        if (found == memory_.end())
            return;
        remove(found->second, bits, [](const User &) {});
        if (found->second.empty())
            memory_.erase(found);
    });
}

void Reasons::forget(uint32_t thread, RegisterPart part) {
    each_group(part, [&](unsigned group, uint64_t bytes) {
        remove(registers(thread, group), bytes, [](const User &) {});
    });
}

void Reasons::add_entries(std::vector<Entry> &to, StandIn::Key key, const Users &users) const {
    for (const std::vector<User> *list : {&users.single, &users.many})
        for (const User &user : *list)
            to.push_back({key, 0, {0, user.moment, uint8_t(user.bits), user.moved}});
}

std::vector<Reasons::Entry> Reasons::entries() const {
    using Of = StandIn::Of;
    std::vector<Entry> all;
    for (const auto &[word, users] : memory_)
        add_entries(all, {Of::memory, word, 0}, users);
    for (const auto &[group, users] : registers_)
        add_entries(all, {Of::registers, group, 0}, users);
    for (const auto &[activation, waiting] : waiting_)
        for (const Waiting &one : waiting)
            all.push_back({{Of::waiting, activation, one.node}, 0, {0, one.moment, 1, false}});
    for (const auto &[activation, open] : open_)
        for (const Open &one : open)
            // One of many would be found again by its statement.
            if (!moments_[one.moment].many)
                all.push_back(
                    {{Of::open, activation, one.statement}, one.lowest, {0, one.moment, 0, false}});
    std::ranges::stable_sort(all, {}, &Entry::key);
    return all;
}

ReasonsPart Reasons::cut() {
    std::vector<Entry> all = entries();
    ReasonsPart done;
    std::vector<StandIn> next;
    for (Entry &entry : all) {
        if (next.empty() || next.back().key != entry.key)
            next.push_back({entry.key, 0, entry.lowest});
        next.back().bytes |= entry.behind.bytes;
        entry.behind.stand_in = uint32_t(next.size() - 1);
        done.behind.push_back(entry.behind);
    }
    done.stand_ins = std::exchange(stand_ins_, std::move(next));
    done.moments = std::move(moments_);
    done.edges = std::move(edges_);
    go_on_with_stand_ins();
    return done;
}

void Reasons::go_on_with_stand_ins() {
    moments_.clear();
    edges_.clear();
    edges_between_.clear();
    event_ = events_ = 0;
    many_.clear();
    memory_.clear();
    registers_.clear();
    waiting_.clear();
    open_.clear();
    for (const StandIn &one : stand_ins_) {
        const auto number = uint32_t(moments_.size());
        moments_.emplace_back();
        moments_.back().first = ReasonsPart::untouched;
        const auto [of, first, second] = one.key;
        if (of == StandIn::Of::memory)
            memory_[first].single = {{one.bytes, number}};
        else if (of == StandIn::Of::registers)
            registers_[first].single = {{one.bytes, number}};
        else if (of == StandIn::Of::waiting)
            waiting_[first].push_back({uint32_t(second), number});
        else {
            moments_.back().statement = uint32_t(second);
            open_[first].push_back({uint32_t(second), number, one.lowest});
        }
    }
}

} // namespace heapstory::slice
