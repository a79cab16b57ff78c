// SPDX-License-Identifier: GPL-2.0-or-later
#include "explore/canonical.h"

#include <algorithm>
#include <limits>

namespace heapstory::explore {

Renaming::Renaming(const Program &program, const Memory &memory)
    : program_(program), memory_(memory), names_(size_t(memory.nodes()) + 1) {
    memory.roots(program, [&](int32_t node) { name(node); });
    follow();
}

int32_t Renaming::name(int32_t node) {
    if (node <= 0) // NULL, or nobody knows
        return node;
    int32_t &found = names_[size_t(node)];
    if (found == 0) {
        order_.push_back(node);
        found = int32_t(order_.size());
    }
    return found;
}

int32_t Renaming::known(int32_t node) const {
    if (node <= 0)
        return node;
    int32_t found = names_[size_t(node)];
    return found != 0 ? found : std::numeric_limits<int32_t>::max();
}

void Renaming::follow() {
    while (followed_ < order_.size()) {
        int32_t node = order_[followed_++];
        memory_.links(program_, node, [&](int32_t next) { name(next); });
    }
}

void Renaming::find_freed() {
    std::vector<std::pair<Words, int32_t>> lost;
    for (int32_t node = 1; node <= memory_.nodes(); ++node) {
        if (!memory_.freed(node) || names_[size_t(node)] != 0)
            continue;
        Words content{memory_.kind(node)};
        const auto &fields = program_.structs[size_t(memory_.kind(node))];
        for (size_t i = 0; i < fields.size(); ++i) {
            int32_t value = memory_.field(node, int32_t(i));
            content.push_back(fields[i].pointer ? known(value) : value);
        }
        lost.emplace_back(std::move(content), node);
    }
    std::sort(lost.begin(), lost.end());
    for (const auto &[content, node] : lost) {
        name(node);
        follow();
    }
}

Memory Renaming::renamed() {
    Memory found;
    found.scalars = memory_.scalars;
    for (size_t i = 0; i < found.scalars.size(); ++i)
        if (program_.scalars[i].pointer)
            found.scalars[i] = name(found.scalars[i]);
    found.entries = memory_.entries;
    for (Entry &entry : found.entries)
        if (program_.arrays[size_t(entry.array)])
            entry.value = name(entry.value);
    for (int32_t old : order_) {
        int32_t node = found.add(program_, memory_.kind(old));
        found.set_freed(node, memory_.freed(old));
        const auto &fields = program_.structs[size_t(memory_.kind(old))];
        for (size_t i = 0; i < fields.size(); ++i) {
            int32_t value = memory_.field(old, int32_t(i));
            found.field(node, int32_t(i)) = fields[i].pointer ? name(value) : value;
        }
    }
    return found;
}

void encode_raw(const Program &program, const Memory &memory, Words &words) {
    words.insert(words.end(), memory.scalars.begin(), memory.scalars.end());
    words.push_back(int32_t(memory.entries.size()));
    for (const Entry &entry : memory.entries) {
        words.push_back(entry.array);
        words.push_back(entry.index);
        words.push_back(entry.value);
    }
    words.push_back(memory.nodes());
    for (int32_t node = 1; node <= memory.nodes(); ++node) {
        words.push_back(2 * memory.kind(node) + memory.freed(node));
        size_t fields = program.structs[size_t(memory.kind(node))].size();
        for (size_t i = 0; i < fields; ++i)
            words.push_back(memory.field(node, int32_t(i)));
    }
}

void encode_memory(const Program &program, const Memory &memory, Words &words) {
    encode_raw(program, Renaming(program, memory).renamed(), words);
}

void decode_memory(const Program &program, const int32_t *&at, Memory &memory) {
    memory.scalars.assign(at, at + program.scalars.size());
    at += program.scalars.size();
    memory.entries.resize(size_t(*at++));
    for (Entry &entry : memory.entries) {
        entry = {at[0], at[1], at[2]};
        at += 3;
    }
    memory.clear_nodes();
    int32_t nodes = *at++;
    for (int32_t i = 0; i < nodes; ++i) {
        int32_t head = *at++;
        int32_t node = memory.add(program, head / 2);
        memory.set_freed(node, head % 2 != 0);
        int32_t fields = int32_t(program.structs[size_t(head / 2)].size());
        for (int32_t f = 0; f < fields; ++f)
            memory.field(node, f) = *at++;
    }
}

Memory decode_memory(const Program &program, const Words &words) {
    Memory memory;
    const int32_t *at = words.data();
    decode_memory(program, at, memory);
    return memory;
}

} // namespace heapstory::explore
