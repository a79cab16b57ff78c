// The graph of all dependences of a stream, made plainly, to compare slices with.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "slice/instances.h"
#include "slice/prepared.h"

#include <cstdint>
#include <set>
#include <unordered_map>
#include <vector>

class Dependences {
  public:
    explicit Dependences(const heapstory::slice::Prepared &prepared);

    const std::vector<heapstory::slice::Instance> &instances() const { return instances_; }
    // Which instances depend on one (numbers count from 0), itself included.
    std::vector<bool> influenced(size_t number) const;

  private:
    // What some bytes come from: instances, and copies that brought them without regard to what
    // else they copied.
    struct Makers {
        std::set<size_t> instances, copies;

        void add(const Makers &other);
        bool any(const std::vector<bool> &instances, const std::vector<bool> &copies) const;
    };
    using Bytes = std::unordered_map<uint64_t, Makers>; // of memory and registers

    void copy(size_t number, Bytes &last);

    std::vector<heapstory::slice::Instance> instances_;
    std::vector<Makers> on_;                     // what each depends on directly
    std::unordered_map<size_t, Makers> brought_; // the same of copies, what they copied left out
};

// Compares forward slices and chops of `samples` instructions, chosen by `seed`, with the graph and
// with backward slices; throws where they differ.
void compare_forward(const heapstory::slice::Prepared &prepared, unsigned samples, unsigned seed);
