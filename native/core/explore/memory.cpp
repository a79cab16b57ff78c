// SPDX-License-Identifier: GPL-2.0-or-later
#include "explore/memory.h"

#include <algorithm>
#include <tuple>

namespace heapstory::explore {
namespace {

bool before(const Entry &entry, const std::pair<int32_t, int32_t> &place) {
    return std::tie(entry.array, entry.index) < std::tie(place.first, place.second);
}

} // namespace

Memory Memory::empty(const Program &program) {
    Memory memory;
    for (const Scalar &scalar : program.scalars)
        memory.scalars.push_back(scalar.object < 0 ? scalar.initial
                                                   : memory.add(program, scalar.object));
    return memory;
}

int32_t Memory::element(int32_t array, int32_t index) const {
    auto at = std::lower_bound(entries.begin(), entries.end(), std::pair(array, index), before);
    bool there = at != entries.end() && at->array == array && at->index == index;
    return there ? at->value : 0;
}

void Memory::set_element(int32_t array, int32_t index, int32_t value) {
    auto at = std::lower_bound(entries.begin(), entries.end(), std::pair(array, index), before);
    bool there = at != entries.end() && at->array == array && at->index == index;
    if (there && value == 0)
        entries.erase(at);
    else if (there)
        at->value = value;
    else if (value != 0)
        entries.insert(at, {array, index, value});
}

int32_t Memory::add(const Program &program, int32_t kind) {
    kinds_.push_back(kind);
    freed_.push_back(0);
    begins_.push_back(int32_t(fields_.size()));
    fields_.resize(fields_.size() + program.structs[size_t(kind)].size());
    return nodes();
}

void Memory::clear_nodes() {
    kinds_.clear();
    begins_.clear();
    fields_.clear();
    freed_.clear();
}

void Memory::reachable(const Program &program, int32_t kind, Words &found) const {
    std::vector<uint8_t> seen(size_t(nodes()) + 1);
    Words todo;
    auto visit = [&](int32_t node) {
        if (!seen[size_t(node)]) {
            seen[size_t(node)] = 1;
            todo.push_back(node);
        }
    };
    roots(program, visit);
    while (!todo.empty()) {
        int32_t node = todo.back();
        todo.pop_back();
        links(program, node, visit);
    }
    found.clear();
    for (int32_t node = 1; node <= nodes(); ++node)
        if (seen[size_t(node)] && this->kind(node) == kind)
            found.push_back(node);
}

} // namespace heapstory::explore
