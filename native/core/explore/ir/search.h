// All interleavings of a few calls of a C program, against an abstract object.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "explore/ir/judge.h"
#include "explore/ir/machine.h"

#include <atomic>
#include <set>

namespace heapstory::explore::ir {

struct Limits {
    int32_t calls, threads, keys;
    size_t states;
    double seconds;
    bool alone = false; // one call after the other
    const std::atomic<bool> *cancelled = nullptr;
    bool collect = false; // only gather the answers; each thread makes one call
    std::vector<std::vector<int32_t>> program{}; // the operations of each thread; empty: any
};

// The seeds of random histories.
struct Seeds {
    uint64_t first, count;
};

struct Found {
    enum Outcome { all_explained, unexplained, odd, out_of_time, too_many, cancelled } outcome;
    size_t states = 0;
    uint64_t histories = 0;         // that were drawn
    std::vector<Call> calls;        // of the history that cannot be explained, or has an odd answer
    std::vector<Event> trail;       // what its threads did
    std::vector<Fault> faults;      // each once
    std::vector<Event> fault_trail; // to the first of them
    std::vector<Call> fault_calls;
    std::vector<bool> ended; // by operation: whether a call of it ever did
    int64_t status = 0;      // the odd answer
    std::set<Longs> answers; // that were gathered: those of all threads together
};

Found search(const Code &code, const Limits &limits);

// Some histories of as many calls: what they show is there, and what they do not may be, too.
Found draw(const Code &code, const Limits &limits, const Seeds &seeds);

// Calls one after the other, each an operation and its argument; gives status and value of each.
struct Sequence {
    std::vector<std::pair<int64_t, int64_t>> answers; // of those that ended
    std::vector<Fault> faults;
};
Sequence one_by_one(const Code &code, const std::vector<std::pair<int32_t, int64_t>> &calls);

} // namespace heapstory::explore::ir
