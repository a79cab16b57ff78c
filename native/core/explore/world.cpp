// SPDX-License-Identifier: GPL-2.0-or-later
#include "explore/world.h"

#include "explore/canonical.h"

#include <algorithm>
#include <numeric>

namespace heapstory::explore {
namespace {

// What tells an instance from others, as far as its nodes have names.
Words key_of(const Program &program, Widths widths, Names names, const World &world, size_t slot,
             const Renaming &renaming) {
    const Instance &instance = world.instances[slot];
    Words key{instance.operation, instance.pc, instance.answered};
    if (names != Names::unused)
        key.push_back(instance.id);
    const auto &pointer = program.operations[size_t(instance.operation)].pointer;
    for (size_t i = 0; i < pointer.size(); ++i) {
        int32_t value = world.locals[slot * widths.locals + i];
        key.push_back(pointer[i] ? renaming.known(value) : value);
    }
    auto arguments = world.arguments.begin() + ptrdiff_t(slot * widths.arguments);
    key.insert(key.end(), arguments, arguments + ptrdiff_t(widths.arguments));
    return key;
}

std::vector<size_t> sorted(const Program &program, Widths widths, Names names, const World &world,
                           const Renaming &renaming) {
    std::vector<Words> keys;
    for (size_t slot = 0; slot < world.instances.size(); ++slot)
        keys.push_back(key_of(program, widths, names, world, slot, renaming));
    std::vector<size_t> order(keys.size());
    std::iota(order.begin(), order.end(), size_t(0));
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return keys[a] < keys[b]; });
    return order;
}

void sort_orders(World &world, const std::vector<size_t> &order) {
    Words place(order.size());
    for (size_t i = 0; i < order.size(); ++i)
        place[order[i]] = int32_t(i);
    for (Order &one : world.orders) {
        for (Placed &placed : one.placed)
            placed.slot = place[size_t(placed.slot)];
        std::sort(one.placed.begin(), one.placed.end());
    }
    std::sort(world.orders.begin(), world.orders.end());
}

void put(Words &words, const Words &part) {
    words.push_back(int32_t(part.size()));
    words.insert(words.end(), part.begin(), part.end());
}

void get(const int32_t *&at, Words &part) {
    size_t size = size_t(*at++);
    part.assign(at, at + size);
    at += size;
}

} // namespace

void canonicalise(const Program &program, Widths widths, Names names, World &world) {
    Renaming renaming(program, world.memory);
    std::vector<size_t> order = sorted(program, widths, names, world, renaming);
    std::vector<Instance> instances;
    Words locals, arguments;
    for (size_t slot : order) {
        instances.push_back(world.instances[slot]);
        const auto &pointer = program.operations[size_t(instances.back().operation)].pointer;
        for (size_t i = 0; i < widths.locals; ++i) {
            int32_t value = world.locals[slot * widths.locals + i];
            locals.push_back(i < pointer.size() && pointer[i] ? renaming.name(value) : value);
        }
        renaming.follow();
        auto begin = world.arguments.begin() + ptrdiff_t(slot * widths.arguments);
        arguments.insert(arguments.end(), begin, begin + ptrdiff_t(widths.arguments));
    }
    if (program.reuse)
        renaming.find_freed();
    world.memory = renaming.renamed();
    world.instances.swap(instances);
    world.locals.swap(locals);
    world.arguments.swap(arguments);
    sort_orders(world, order);
}

void encode(const Program &program, Widths widths, Names names, const World &world, Words &words) {
    words.clear();
    words.push_back(world.started);
    if (names == Names::any)
        words.push_back(int32_t(world.taken));
    encode_raw(program, world.memory, words);
    words.push_back(int32_t(world.instances.size()));
    for (size_t slot = 0; slot < world.instances.size(); ++slot) {
        const Instance &one = world.instances[slot];
        words.insert(words.end(), {one.operation, one.pc, one.answered});
        if (names != Names::unused)
            words.push_back(one.id);
        size_t locals = program.operations[size_t(one.operation)].pointer.size();
        auto begin = world.locals.begin() + ptrdiff_t(slot * widths.locals);
        words.insert(words.end(), begin, begin + ptrdiff_t(locals));
        if (!one.answered) {
            begin = world.arguments.begin() + ptrdiff_t(slot * widths.arguments);
            words.insert(words.end(), begin, begin + ptrdiff_t(widths.arguments));
        }
    }
    words.push_back(int32_t(world.orders.size()));
    for (const Order &order : world.orders) {
        put(words, order.state);
        words.push_back(int32_t(order.placed.size()));
        for (const Placed &placed : order.placed) {
            words.push_back(2 * placed.slot + placed.says);
            put(words, placed.answer);
        }
    }
}

void decode(const Program &program, Widths widths, Names names, const int32_t *at, World &world) {
    world.started = *at++;
    world.taken = names == Names::any ? uint64_t(*at++) : 0;
    decode_memory(program, at, world.memory);
    size_t count = size_t(*at++);
    world.instances.resize(count);
    world.locals.assign(count * widths.locals, 0);
    world.arguments.assign(count * widths.arguments, 0);
    for (size_t slot = 0; slot < count; ++slot) {
        Instance &one = world.instances[slot];
        one = {at[0], at[1], 0, at[2] != 0, 0};
        at += 3;
        if (names != Names::unused)
            one.id = *at++;
        size_t locals = program.operations[size_t(one.operation)].pointer.size();
        std::copy(at, at + locals, world.locals.begin() + ptrdiff_t(slot * widths.locals));
        at += locals;
        if (!one.answered) {
            std::copy(at, at + widths.arguments,
                      world.arguments.begin() + ptrdiff_t(slot * widths.arguments));
            at += widths.arguments;
        }
    }
    world.orders.resize(size_t(*at++));
    for (Order &order : world.orders) {
        get(at, order.state);
        order.placed.resize(size_t(*at++));
        for (Placed &placed : order.placed) {
            placed.slot = *at / 2;
            placed.says = *at++ % 2 != 0;
            get(at, placed.answer);
        }
    }
}

} // namespace heapstory::explore
