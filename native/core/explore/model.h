// Sequential objects: what a method may answer, and what it leaves.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "explore/machine.h"

#include <map>
#include <memory>

namespace heapstory::explore {

struct Response {
    bool says; // false: its answer agrees with anything
    Words answer;
    Words state;
};

class Model {
  public:
    virtual ~Model() = default;
    virtual Words initial() = 0;
    // Every response to a call; none where the object does not allow it. Valid until the next call.
    virtual const std::vector<Response> &apply(const Words &state, int32_t method,
                                               std::span<const int32_t> arguments, int32_t id) = 0;
};

enum class Type : int32_t { queue, stack, set, one_register, snapshot, counter, program };

// The methods of the types, by the numbers that programs give them.
enum class Method : int32_t {
    helps = -1,
    insert, // enqueue, push, add
    take,   // dequeue, pop, remove
    contains,
    write,    // of a register; of a snapshot's cell: argument 0
    read,     // also scan
    exchange, // compare and exchange of a register
    write_1,  // of a snapshot's first cell
    write_2,
    increment,
    decrement,
};

// An abstract type, or with `program` the operations of a program, each run alone.
std::unique_ptr<Model> model_of(Type type, const Program *program, bool uses_id);

} // namespace heapstory::explore
