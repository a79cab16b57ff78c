// A loop of a run, and what its iterations take over from one another.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <vector>

namespace heapstory::slice {

// Where a value lay that went from one iteration to another.
struct Location {
    bool memory = false;
    uint64_t where = 0; // an address, or the number of a register's first byte
    uint64_t step = 0;  // in which it was taken over
    uint64_t stack = 0; // where the return address of the function with the loop lies; 0: unknown
};

enum class CarriedKind : uint8_t {
    flow,      // an iteration uses what an earlier one made
    anti,      // an iteration writes over what an earlier one still had from before the loop
    control,   // data of an iteration decides whether there is another
    induction, // the value follows from the number of the iteration
    reduction  // it is only ever added to, or combined by another associative operation
};

struct Carried {
    CarriedKind kind = CarriedKind::flow;
    uint64_t from = 0, to = 0; // instructions of the program's own code
    Location location;         // of one of them
    uint64_t count = 0;
    uint64_t least = 0, most = 0; // iterations between the two
};

struct Loop {
    uint64_t header = 0; // its address
    bool reducible = true;
    uint32_t parent = 0; // the loop around it in its function, counted from 1; 0: none
    uint64_t entered = 0, iterations = 0;
    // Whether it was running, some time, when what is known of its function begins, and when the
    // stream ends.
    bool entered_before = false, goes_on = false;
    struct End {
        uint64_t address = 0;
        bool conditional = false; // a branch, at which the loop may end
    };
    std::vector<End> ends; // the instructions that lead back to the header
    std::vector<Carried> carried;
    // How many executions of later iterations are in the forward slice of the first one, the first
    // time that there are several.
    uint64_t reached = 0;
};

} // namespace heapstory::slice
