// What a thread does to memory that others may see.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "explore/ir/arithmetic.h"
#include "explore/ir/machine.h"

#include <algorithm>

namespace heapstory::explore::ir {

constexpr uint64_t tags = 7; // low bits of a pointer that programs use for marks

Machine::Spot Machine::spot(const Value &address, uint32_t size, int32_t line) {
    if (address.unset)
        fault(Trouble::no_value, line);
    uint64_t id = object_at(address.low);
    uint64_t offset = address.low - address_of(id == ~uint64_t(0) ? 0 : id);
    if (address.low < 4096) {
        fault(Trouble::null, line);
        return {nullptr, nullptr};
    }
    Object *object = id <= UINT32_MAX ? memory_->change(uint32_t(id)) : nullptr;
    if (object == nullptr || offset + size > object->size) {
        fault(Trouble::wild, line);
        return {nullptr, nullptr};
    }
    if (object->freed)
        fault(Trouble::freed, line);
    if (object->owner >= 0 && object->owner != number_)
        fault(Trouble::hidden, line);
    Cell *cell = memory_->cell(*object, uint32_t(offset), size);
    if (cell == nullptr)
        fault(Trouble::unknown, line, 0);
    return {object, cell};
}

// Looks for accesses that this one races with, and leaves its own mark.
void Machine::mark(const Spot &spot, Order order, bool writes, int32_t line) {
    if (number_ == set_up_thread)
        return;
    Marks &marks = spot.cell->marks;
    Clock &clock = memory_->watchers[size_t(number_)].now.clock;
    bool plain = order == Order::plain;
    for (size_t t = 0; t < clock.size() && spot.object->owner < 0; ++t) {
        if (int(t) == number_)
            continue;
        auto unordered = [&](const Clock &when) { return when[t] > clock[t]; };
        if (unordered(marks.plain_write) || (plain && unordered(marks.write)) ||
            (writes && unordered(marks.plain_read)) || (writes && plain && unordered(marks.read)))
            fault(Trouble::race, line);
    }
    auto own = size_t(number_);
    if (clock[own] == 0)
        clock[own] = 1;
    Clock &kept = writes ? (plain ? marks.plain_write : marks.write)
                         : (plain ? marks.plain_read : marks.read);
    kept[own] = clock[own];
}

// The oldest message that this thread may read.
size_t Machine::oldest(const Spot &spot, Order order) {
    size_t newest = spot.cell->messages.size() - 1;
    if (order == Order::plain || spot.object->owner >= 0 || number_ == set_up_thread)
        return newest;
    Key key = key_of(spot.object->id, spot.cell->offset);
    size_t found = memory_->watchers[size_t(number_)].now.of(key);
    return order == Order::strong ? std::max<size_t>(found, memory_->strong_sight.of(key)) : found;
}

// Whether a read-modify-write has read a message already.
bool Machine::changed(const Spot &spot, size_t message) {
    const auto &messages = spot.cell->messages;
    return message + 1 < messages.size() && messages[message + 1].attached;
}

Value Machine::read(const Spot &spot, size_t at, Order order) {
    Watcher &watcher = memory_->watchers[size_t(number_)];
    const Message &message = spot.cell->messages[at];
    watcher.now.see(key_of(spot.object->id, spot.cell->offset), uint16_t(at));
    if (order != Order::plain) {
        watcher.acquired.join(message.sight);
        if (acquires(order))
            watcher.now.join(message.sight);
    }
    return message.value;
}

// Where a write that is not a read-modify-write goes: behind all that this thread has seen.
size_t Machine::place_of_write(const Spot &spot, Order order) {
    auto &messages = spot.cell->messages;
    if (order == Order::plain || spot.object->owner >= 0 || number_ == set_up_thread)
        return messages.size();
    std::vector<size_t> places{messages.size()};
    for (size_t at = messages.size() - 1; at > oldest(spot, order); --at)
        if (!messages[at].attached)
            places.push_back(at);
    return places[size_t(choices_->choose(int32_t(places.size())))];
}

// A release sequence goes on with what the same thread writes, and with what changes it.
void Machine::go_on(const Spot &spot, Message &message, size_t at) const {
    const auto &messages = spot.cell->messages;
    for (size_t i = std::min(at, messages.size()); i-- > 0;)
        if (messages[i].writer == number_) {
            message.sight.join(messages[i].own ? *messages[i].own : messages[i].sight);
            break;
        }
    if (message.attached && !message.sight.covers(messages[at - 1].sight)) {
        message.own = message.sight;
        message.sight.join(messages[at - 1].sight);
    }
}

void Machine::write(const Spot &spot, Value value, Order order, size_t at, bool attached) {
    if (order == Order::plain && spot.object->owner != number_)
        thread_->patience = {}; // it does more than wait
    Watcher &watcher = memory_->watchers[size_t(number_)];
    Key key = key_of(spot.object->id, spot.cell->offset);
    auto &messages = spot.cell->messages;
    Message message{value, {}, attached, int8_t(number_), order != Order::plain};
    if (order != Order::plain) {
        message.sight = releases(order) ? watcher.now : watcher.released;
        go_on(spot, message, at);
    }
    if (code_.strong || number_ == set_up_thread) {
        message.sight.seen.clear();
        if (message.own)
            message.own->seen.clear();
        message.attached = false;
        messages.assign(1, std::move(message));
    } else if (spot.object->owner >= 0 && messages.size() == 2) {
        messages[1] = std::move(message); // nobody has seen the one before
    } else if (order == Order::plain && !messages.back().atomic) {
        // Who reads the one before, and not this, races with this.
        auto newest = uint16_t(messages.size() - 1);
        if (newest != 0) {
            message.sight.see(key, newest);
            watcher.now.see(key, newest);
            watcher.acquired.see(key, newest);
        }
        messages.back() = std::move(message);
    } else {
        memory_->insert(spot.object->id, *spot.cell, at, std::move(message));
        watcher.now.see(key, uint16_t(at));
        watcher.acquired.see(key, uint16_t(at));
        if (order == Order::strong)
            memory_->strong_sight.see(key, uint16_t(at));
    }
    if (releases(order) && number_ != set_up_thread)
        ++watcher.now.clock[size_t(number_)];
    publish(value, *spot.object);
}

void Machine::publish(const Value &value, const Object &into) {
    if (into.owner >= 0)
        return;
    publish_object(value.low);
    publish_object(value.high);
}

void Machine::publish_object(uint64_t address) {
    uint64_t id = object_at(address & ~tags & mask(48));
    const Object *object = id <= UINT32_MAX ? memory_->find(uint32_t(id)) : nullptr;
    if (object == nullptr || object->owner < 0)
        return;
    memory_->change(uint32_t(id))->owner = -1;
    object = memory_->find(uint32_t(id));
    for (const Cell &cell : object->cells)
        for (const Message &message : cell.messages)
            publish(message.value, *object);
}

void Machine::load(const Instruction &one) {
    Value address = get(one.a);
    Spot at = spot(address, uint32_t(one.size), one.line);
    if (at.cell == nullptr) {
        set(one.dst, {0, 0, all_unset});
        return;
    }
    mark(at, one.order, false, one.line);
    size_t newest = at.cell->messages.size() - 1, from = oldest(at, one.order);
    // The newest first: most histories are found there.
    size_t which = newest - size_t(choices_->choose(int32_t(newest - from + 1)));
    Value value = read(at, which, one.order);
    set(one.dst, value);
    if (one.order != Order::plain)
        note(1, one.line, address.low, int64_t(value.low));
}

void Machine::store(const Instruction &one) {
    Value address = get(one.a), value = get(one.b);
    Spot at = spot(address, uint32_t(one.size), one.line);
    if (at.cell == nullptr)
        return;
    if (one.size < 8)
        value.low &= mask(8 * one.size);
    value.unset &= first_bytes(uint64_t(one.size));
    mark(at, one.order, true, one.line);
    write(at, value, one.order, place_of_write(at, one.order), false);
    if (one.order != Order::plain)
        note(2, one.line, address.low, int64_t(value.low));
}

// Whether a write changes nothing for anyone: it puts the value that it read behind the message,
// and passes on no more than that does. Who waits in a loop of exchanges does so.
bool Machine::repeats(const Spot &spot, size_t which, const Value &made, Order order) const {
    const Message &old = spot.cell->messages[which];
    if (code_.strong || number_ == set_up_thread || spot.object->owner >= 0 || !old.attached ||
        old.value.low != made.low || old.value.unset != made.unset)
        return false;
    const Watcher &watcher = memory_->watchers[size_t(number_)];
    const Sight &passed = releases(order) ? watcher.now : watcher.released;
    auto own = size_t(number_);
    for (size_t t = 0; t < passed.clock.size(); ++t)
        if (t != own && passed.clock[t] > old.sight.clock[t])
            return false;
    for (auto [key, message] : passed.seen)
        if (old.sight.of(key) < message)
            return false;
    // Its own accesses since then are passed on, too; of this cell there are only such exchanges.
    uint16_t since = old.sight.clock[own];
    if (passed.clock[own] <= since)
        return true;
    auto later = [&](const Marks &marks) {
        return marks.plain_read[own] > since || marks.plain_write[own] > since ||
               marks.read[own] > since || marks.write[own] > since;
    };
    for (const auto &object : memory_->objects)
        for (const Cell &cell : object->cells)
            if (object->owner < 0 && &cell != spot.cell && later(cell.marks))
                return false;
    return true;
}

void Machine::modify(const Instruction &one) {
    Value address = get(one.a), by = get(one.b);
    Spot at = spot(address, uint32_t(one.size), one.line);
    if (at.cell == nullptr) {
        set(one.dst, {0, 0, all_unset});
        return;
    }
    mark(at, one.order, true, one.line);
    std::vector<size_t> some; // no two may change the same message
    for (size_t m = at.cell->messages.size(); m-- > oldest(at, one.order);)
        if (!changed(at, m))
            some.push_back(m);
    size_t which = some[size_t(choices_->choose(int32_t(some.size())))];
    Value old = read(at, which, one.order);
    int32_t bits = 8 * one.size;
    Value made{modified(Modify(one.kind), old.low, by.low, bits) & mask(bits), 0,
               unset_if(by.unset || (old.unset && Modify(one.kind) != Modify::xchg))};
    if (Modify(one.kind) == Modify::xchg)
        made = by;
    if (!repeats(at, which, made, one.order))
        write(at, made, one.order, which + 1, true);
    else if (one.order == Order::strong)
        memory_->strong_sight.see(key_of(at.object->id, at.cell->offset), uint16_t(which));
    set(one.dst, old);
    note(3, one.line, address.low, int64_t(made.low));
}

void Machine::exchange(const Instruction &one) {
    Value address = get(one.a), expected = get(one.b), desired = get(one.c);
    Spot at = spot(address, uint32_t(one.size), one.line);
    if (at.cell == nullptr) {
        set(one.dst, {0, 0, all_unset});
        set(one.dst + 1, {0, 0, all_unset});
        return;
    }
    auto failing = Order(one.kind >> 8);
    if (expected.unset)
        fault(Trouble::no_value, one.line);
    const auto &messages = at.cell->messages;
    std::vector<std::pair<size_t, bool>> ways; // the message, and whether it is exchanged
    for (size_t m = messages.size(); m-- > oldest(at, Order::relaxed);) {
        const Value &value = messages[m].value;
        bool same = value.low == expected.low && value.high == expected.high;
        if (same && m >= oldest(at, one.order) && !changed(at, m))
            ways.emplace_back(m, true);
        bool fails = one.kind & 1 && spurious && number_ != set_up_thread;
        if ((!same || fails) && m >= oldest(at, failing))
            ways.emplace_back(m, false);
    }
    if (ways.empty()) // cannot be: the newest message is always one of them
        ways.emplace_back(messages.size() - 1, false);
    auto [which, wins] = ways[size_t(choices_->choose(int32_t(ways.size())))];
    Order order = wins ? one.order : failing;
    Value old = read(at, which, order);
    if (old.unset)
        fault(Trouble::no_value, one.line);
    mark(at, order, wins, one.line);
    if (wins)
        write(at, desired, order, which + 1, true);
    set(one.dst, old);
    set(one.dst + 1, {wins, 0, false});
    note(wins ? 3 : 1, one.line, address.low, int64_t(wins ? desired.low : old.low));
}

void Machine::fence(const Instruction &one) {
    Watcher &watcher = memory_->watchers[size_t(number_)];
    if (acquires(one.order))
        watcher.now.join(watcher.acquired);
    if (one.order == Order::strong) {
        Sight &all = memory_->strong_sight;
        for (auto [key, message] : all.seen)
            watcher.now.see(key, message);
        all.seen = watcher.now.seen;
        note(4, one.line, 0, 0);
    }
    if (releases(one.order)) {
        watcher.released = watcher.now;
        if (number_ != set_up_thread)
            ++watcher.now.clock[size_t(number_)];
    }
    watcher.acquired.join(watcher.now);
}

} // namespace heapstory::explore::ir
