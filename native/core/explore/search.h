// All interleavings of a few operations against a sequential object.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "explore/moves.h"

#include <atomic>
#include <string>

namespace heapstory::explore {

// What is explored: a program, and the object that it should be.
struct Question {
    Program program;
    Type type;
    Program object; // with Type::program
    Names names;
    bool object_uses_id;
};

struct Effort {
    size_t states; // at most
    size_t memory; // of the process, in bytes
    double seconds;
    const std::atomic<bool> *cancelled = nullptr;
};

struct Found {
    enum Outcome {
        all_explained,
        unexplained,
        out_of_time,
        too_many,
        out_of_memory,
        cancelled
    } outcome;
    std::vector<Action> trail; // to an answer that cannot be explained
    size_t states = 0;
    std::vector<std::pair<int32_t, int32_t>> ran;              // operation, step
    std::vector<int32_t> ended;                                // operations
    std::vector<std::tuple<int32_t, int32_t, int32_t>> faults; // operation, step, a Fault
};

// Breadth first, so a trail that is found is a shortest one. States are remembered by 128 bits of
// hash: that two of a billion are confused has a chance of one in 10^20.
Found search(const Question &question, Limits limits, const Effort &effort);

} // namespace heapstory::explore
