// A state of the search: memory, the operations under way, and how their answers can be explained.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "explore/machine.h"
#include "explore/model.h"

namespace heapstory::explore {

struct Instance {
    int32_t operation, pc, id;
    bool answered;
    int32_t number; // in the order of their calls; for trails only
};

// One step of a trail.
struct Action {
    int32_t number, id, operation, step;
    Words arguments;
    bool answered;
    Words answer;
};

// One way to put the calls so far in order: the abstract state it leads to, and the calls that are
// in it though they have not answered yet, with what they must answer.
struct Placed {
    int32_t slot;
    bool says;
    Words answer;
    auto operator<=>(const Placed &) const = default;
};
struct Order {
    Words state;
    std::vector<Placed> placed; // by slot
    auto operator<=>(const Order &) const = default;
};

struct World {
    Memory memory;
    std::vector<Instance> instances;
    Words locals, arguments; // of all instances, so many each
    std::vector<Order> orders;
    int32_t started = 0;
    uint64_t taken = 0; // the names given to instances, where any may have any
    std::vector<Action> trail;
    bool traced = false;
};

// How many locals and arguments are kept of each instance.
struct Widths {
    size_t locals, arguments;
};

// Whether a state is told by the names of its instances, too.
enum class Names : int32_t { unused, symmetric, any };

// Renames nodes and sorts instances, so that like states become equal.
void canonicalise(const Program &program, Widths widths, Names names, World &world);
void encode(const Program &program, Widths widths, Names names, const World &world, Words &words);
void decode(const Program &program, Widths widths, Names names, const int32_t *words, World &world);

} // namespace heapstory::explore
