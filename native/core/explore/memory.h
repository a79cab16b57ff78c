// Shared memory of one state: variables, arrays and nodes.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "explore/program.h"

namespace heapstory::explore {

struct Entry {
    int32_t array, index, value; // value is never 0
};

// Nodes are numbered from 1; NULL is 0.
class Memory {
  public:
    // Every variable 0 and every fixed object there; the program's own initial statements come
    // later.
    static Memory empty(const Program &program);

    Words scalars;
    std::vector<Entry> entries; // by array and index

    int32_t element(int32_t array, int32_t index) const;
    void set_element(int32_t array, int32_t index, int32_t value);

    int32_t nodes() const { return int32_t(kinds_.size()); }
    int32_t kind(int32_t node) const { return kinds_[size_t(node) - 1]; }
    bool freed(int32_t node) const { return freed_[size_t(node) - 1] != 0; }
    void set_freed(int32_t node, bool freed) { freed_[size_t(node) - 1] = freed; }
    int32_t &field(int32_t node, int32_t number) {
        return fields_[size_t(begins_[size_t(node) - 1] + number)];
    }
    int32_t field(int32_t node, int32_t number) const {
        return fields_[size_t(begins_[size_t(node) - 1] + number)];
    }
    int32_t add(const Program &program, int32_t kind);
    void clear_nodes();

    // The nodes of a struct that shared memory leads to, in order.
    void reachable(const Program &program, int32_t kind, Words &found) const;
    // Calls visit(node) for every node that shared variables and arrays name, in order.
    template <typename Visit> void roots(const Program &program, Visit visit) const;
    // Calls visit(node) for every node that a node's fields name.
    template <typename Visit> void links(const Program &program, int32_t node, Visit visit) const;

  private:
    Words kinds_, begins_, fields_;
    std::vector<uint8_t> freed_;
};

template <typename Visit> void Memory::roots(const Program &program, Visit visit) const {
    for (size_t i = 0; i < scalars.size(); ++i)
        if (program.scalars[i].pointer && scalars[i] != 0)
            visit(scalars[i]);
    for (const Entry &entry : entries)
        if (program.arrays[size_t(entry.array)])
            visit(entry.value);
}

template <typename Visit>
void Memory::links(const Program &program, int32_t node, Visit visit) const {
    const auto &fields = program.structs[size_t(kind(node))];
    for (size_t i = 0; i < fields.size(); ++i)
        if (int32_t next = field(node, int32_t(i)); fields[i].pointer && next > 0)
            visit(next);
}

} // namespace heapstory::explore
