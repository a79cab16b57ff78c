// What a search is asked, and what it finds.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "explore/ir/judge.h"
#include "explore/ir/machine.h"

#include <atomic>
#include <set>

namespace heapstory::explore::ir {

// Where all interleavings are tried, a thread that sees nothing new so often in a row waits until
// there is something.
constexpr int32_t most_rounds = 16;

struct Limits {
    int32_t calls, threads, keys;
    size_t states;
    size_t memory; // of the process, in bytes
    double seconds;
    bool alone = false; // one call after the other
    const std::atomic<bool> *cancelled = nullptr;
    bool collect = false; // only gather the answers; each thread makes one call
    std::vector<std::vector<int32_t>> program{}; // the operations of each thread; empty: any
};

struct Found {
    enum Outcome {
        all_explained,
        unexplained,
        odd,
        out_of_time,
        too_many,
        out_of_memory,
        cancelled
    } outcome;
    size_t states = 0;
    uint64_t histories = 0;         // that were drawn
    std::vector<Call> calls;        // of the history that cannot be explained, or has an odd answer
    std::vector<Event> trail;       // what its threads did
    std::vector<Fault> faults;      // each once
    std::vector<Event> fault_trail; // to the first of them
    std::vector<Call> fault_calls;
    std::vector<bool> ended; // by operation: whether a call of it ever did
    int64_t status = 0;      // the odd answer
    bool waited = false;     // whether a thread saw nothing new too often to go on
    std::set<Longs> answers; // that were gathered: those of all threads together
};

} // namespace heapstory::explore::ir
