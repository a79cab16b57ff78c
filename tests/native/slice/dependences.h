// The graph of all dependences of a stream, made plainly, to compare slices with.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "slice/instances.h"
#include "slice/prepared.h"

#include <cstdint>
#include <vector>

class Dependences {
  public:
    explicit Dependences(const heapstory::slice::Prepared &prepared);

    const std::vector<heapstory::slice::Instance> &instances() const { return instances_; }
    // Which instances depend on one (numbers count from 0), itself included.
    std::vector<bool> influenced(size_t number) const;

  private:
    std::vector<heapstory::slice::Instance> instances_;
    std::vector<std::vector<size_t>> on_; // what each depends on directly
};

// Compares forward slices and chops of `samples` instructions, chosen by `seed`, with the graph and
// with backward slices; throws where they differ.
void compare_forward(const heapstory::slice::Prepared &prepared, unsigned samples, unsigned seed);
