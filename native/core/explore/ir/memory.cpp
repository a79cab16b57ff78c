// SPDX-License-Identifier: GPL-2.0-or-later
#include "explore/ir/memory.h"

#include <algorithm>
#include <cstring>

namespace heapstory::explore::ir {
namespace {

auto position(std::vector<std::pair<Key, uint16_t>> &seen, Key key) {
    return std::lower_bound(seen.begin(), seen.end(), std::pair<Key, uint16_t>(key, 0));
}

using Bytes = std::array<uint8_t, 16>;

Bytes bytes_of(const Value &value) {
    Bytes bytes;
    std::memcpy(bytes.data(), &value.low, 8);
    std::memcpy(bytes.data() + 8, &value.high, 8);
    return bytes;
}

Value value_of(const Bytes &bytes, Unset unset) {
    Value value;
    std::memcpy(&value.low, bytes.data(), 8);
    std::memcpy(&value.high, bytes.data() + 8, 8);
    value.unset = unset;
    return value;
}

bool seen_differently(const Cell &cell) {
    return std::any_of(cell.messages.begin(), cell.messages.end(),
                       [](const Message &message) { return message.atomic; });
}

// A part of a cell that all threads see alike.
Cell part(const Cell &cell, uint32_t begin, uint32_t end) {
    Bytes whole = bytes_of(cell.messages.back().value), some{};
    std::copy(whole.begin() + (begin - cell.offset), whole.begin() + (end - cell.offset),
              some.begin());
    Cell found{begin, end - begin, {cell.messages.back()}, cell.marks};
    Unset unset = Unset(cell.messages.back().value.unset >> (begin - cell.offset));
    found.messages[0].value = value_of(some, unset & first_bytes(end - begin));
    return found;
}

} // namespace

// -- sights ---------------------------------------------------------------------------------------

uint16_t Sight::of(Key key) const {
    auto at = std::lower_bound(seen.begin(), seen.end(), std::pair<Key, uint16_t>(key, 0));
    return at != seen.end() && at->first == key ? at->second : 0;
}

void Sight::see(Key key, uint16_t message) {
    if (message == 0)
        return;
    auto at = position(seen, key);
    if (at == seen.end() || at->first != key)
        seen.insert(at, {key, message});
    else
        at->second = std::max(at->second, message);
}

void Sight::join(const Sight &other) {
    for (auto [key, message] : other.seen)
        see(key, message);
    for (size_t i = 0; i < clock.size(); ++i)
        clock[i] = std::max(clock[i], other.clock[i]);
}

bool Sight::covers(const Sight &other) const {
    for (size_t i = 0; i < clock.size(); ++i)
        if (clock[i] < other.clock[i])
            return false;
    return std::all_of(other.seen.begin(), other.seen.end(),
                       [&](const auto &each) { return of(each.first) >= each.second; });
}

void Sight::shift(Key key, uint16_t at, int by) {
    auto found = position(seen, key);
    if (found == seen.end() || found->first != key || found->second < at)
        return;
    int moved = std::max(0, int(found->second) + by);
    if (moved == 0)
        seen.erase(found);
    else
        found->second = uint16_t(moved);
}

void Marks::join(const Marks &other) {
    for (size_t i = 0; i < plain_read.size(); ++i) {
        plain_read[i] = std::max(plain_read[i], other.plain_read[i]);
        plain_write[i] = std::max(plain_write[i], other.plain_write[i]);
        read[i] = std::max(read[i], other.read[i]);
        write[i] = std::max(write[i], other.write[i]);
    }
}

// -- objects --------------------------------------------------------------------------------------

size_t Memory::place(uint32_t id) const {
    auto at =
        std::lower_bound(objects.begin(), objects.end(), id,
                         [](const auto &object, uint32_t wanted) { return object->id < wanted; });
    return size_t(at - objects.begin());
}

const Object *Memory::find(uint32_t id) const {
    size_t at = place(id);
    return at < objects.size() && objects[at]->id == id ? objects[at].get() : nullptr;
}

Object *Memory::change(uint32_t id) {
    size_t at = place(id);
    if (at == objects.size() || objects[at]->id != id)
        return nullptr;
    if (objects[at].use_count() > 1)
        objects[at] = std::make_shared<Object>(*objects[at]);
    objects[at]->touched = true;
    return objects[at].get();
}

Object &Memory::add(Object object) {
    auto at = objects.begin() + ptrdiff_t(place(object.id));
    return **objects.insert(at, std::make_shared<Object>(std::move(object)));
}

void Memory::remove(uint32_t id) {
    size_t at = place(id);
    if (at < objects.size() && objects[at]->id == id)
        objects.erase(objects.begin() + ptrdiff_t(at));
}

Cell *Memory::cell(Object &object, uint32_t offset, uint32_t size) {
    auto begin = std::lower_bound(
        object.cells.begin(), object.cells.end(), offset,
        [](const Cell &each, uint32_t wanted) { return each.offset + each.size <= wanted; });
    if (begin != object.cells.end() && begin->offset == offset && begin->size == size)
        return &*begin;
    auto end = begin;
    Cell made{offset, size, {Message{}}, {}};
    Bytes bytes{};
    Unset unset = object.cleared ? Unset(0) : first_bytes(size);
    std::vector<Cell> left;
    for (; end != object.cells.end() && end->offset < offset + size; ++end) {
        if (end->messages.size() > 1 && object.owner < 0 && seen_differently(*end))
            return nullptr;
        uint32_t from = std::max(offset, end->offset),
                 to = std::min(offset + size, end->offset + end->size);
        Cell common = part(*end, from, to);
        Bytes some = bytes_of(common.messages[0].value);
        std::copy(some.begin(), some.begin() + (to - from), bytes.begin() + (from - offset));
        unset &= Unset(~(first_bytes(to - from) << (from - offset)));
        unset |= Unset(common.messages[0].value.unset << (from - offset));
        made.messages[0].sight.join(common.messages[0].sight);
        made.marks.join(common.marks);
        if (end->offset < offset)
            left.push_back(part(*end, end->offset, offset));
        if (end->offset + end->size > offset + size)
            left.push_back(part(*end, offset + size, end->offset + end->size));
    }
    made.messages[0].value = value_of(bytes, unset);
    left.push_back(std::move(made));
    std::sort(left.begin(), left.end(),
              [](const Cell &a, const Cell &b) { return a.offset < b.offset; });
    for (auto gone = begin; gone != end; ++gone)
        shift_all(key_of(object.id, gone->offset), 0, -int(UINT16_MAX));
    auto at = object.cells.erase(begin, end);
    at = object.cells.insert(at, std::make_move_iterator(left.begin()),
                             std::make_move_iterator(left.end()));
    while (at->offset != offset)
        ++at;
    return &*at;
}

void Memory::forget_cells(Object &object) {
    for (const Cell &cell : object.cells)
        shift_all(key_of(object.id, cell.offset), 0, -int(UINT16_MAX));
    object.cells.clear();
}

// -- messages -------------------------------------------------------------------------------------

void Memory::shift_all(Key key, uint16_t at, int by) {
    for (Watcher &each : watchers)
        for (Sight *sight : {&each.now, &each.acquired, &each.released})
            sight->shift(key, at, by);
    strong_sight.shift(key, at, by);
    for (size_t i = 0; i < objects.size(); ++i) {
        if (!objects[i]->touched)
            continue;
        bool named = objects[i]->free_sight.of(key) >= at;
        for (const Cell &cell : objects[i]->cells)
            for (const Message &message : cell.messages)
                named = named || message.sight.of(key) >= at; // which covers its own
        if (!named)
            continue;
        Object *object = change(objects[i]->id);
        object->free_sight.shift(key, at, by);
        for (Cell &cell : object->cells)
            for (Message &message : cell.messages) {
                message.sight.shift(key, at, by);
                if (message.own)
                    message.own->shift(key, at, by);
            }
    }
}

void Memory::insert(uint32_t object, Cell &cell, size_t at, Message message) {
    Key key = key_of(object, cell.offset);
    if (at < cell.messages.size())
        shift_all(key, uint16_t(at), 1);
    message.sight.see(key, uint16_t(at));
    cell.messages.insert(cell.messages.begin() + ptrdiff_t(at), std::move(message));
}

// Marks of accesses that every other thread knows of order nothing any more.
Clock Memory::unknown(const Clock &marks) const {
    Clock found = marks;
    for (int t = 0; t < threads; ++t) {
        bool all = true;
        for (int u = 0; u < threads; ++u)
            all = all && (u == t || retired[size_t(u)] ||
                          watchers[size_t(u)].now.clock[size_t(t)] >= marks[size_t(t)]);
        if (all)
            found[size_t(t)] = 0;
    }
    return found;
}

void Memory::forget_messages(uint32_t id, size_t number) {
    const Cell &cell = find(id)->cells[number];
    Key key = key_of(id, cell.offset);
    auto oldest = uint16_t(cell.messages.size() - 1);
    for (int t = 0; t < threads; ++t)
        if (!retired[size_t(t)])
            oldest = std::min(oldest, watchers[size_t(t)].now.of(key));
    if (oldest == 0)
        return;
    auto &own = change(id)->cells[number].messages;
    own.erase(own.begin(), own.begin() + oldest);
    own[0].attached = false;
    shift_all(key, 0, -int(oldest));
}

void Memory::forget_marks(uint32_t id, size_t number) {
    for (auto member : {&Marks::plain_read, &Marks::plain_write, &Marks::read, &Marks::write}) {
        const Clock &marks = find(id)->cells[number].marks.*member;
        if (marks == Clock{})
            continue;
        if (Clock left = unknown(marks); left != marks)
            change(id)->cells[number].marks.*member = left;
    }
}

void Memory::forget() {
    for (size_t i = 0; i < objects.size(); ++i) {
        if (!objects[i]->touched)
            continue;
        uint32_t id = objects[i]->id;
        for (size_t number = 0; number < objects[i]->cells.size(); ++number) {
            if (objects[i]->cells[number].messages.size() > 1)
                forget_messages(id, number);
            forget_marks(id, number);
        }
    }
}

} // namespace heapstory::explore::ir
