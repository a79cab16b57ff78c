// What a walk back looks for and has found, as seen from the step at which it is.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "slice/backward/frontier.h"
#include "slice/hits.h"
#include "slice/steps.h"

#include <cstdint>

namespace heapstory::slice {

struct Search {
    explicit Search(const Marks *within) : hits(within) {}
    Search(const Search &) = delete;

    Frontier all;
    Hits hits;
    uint32_t thread = 0;
    uint64_t activation = 0;
    stream::RegisterSet *registers = nullptr; // of the thread
    Pending *pending = nullptr;               // of the activation

    // Makes the thread and the activation of a step the present ones.
    void enter(const Steps &steps) {
        if (!registers || steps.thread() != thread) {
            thread = steps.thread();
            registers = &all.registers[thread];
        }
        if (!pending || steps.activation() != activation) {
            if (pending && pending->empty())
                all.pending.erase(activation);
            activation = steps.activation();
            pending = &all.pending[activation];
        }
    }
    // As if no step had been entered.
    void leave() {
        registers = nullptr;
        pending = nullptr;
    }
    // Whether something in the caller waits for a return, and does so no longer.
    bool takes_return(const FlowGraph &graph, const Activations::Return &back) {
        auto found = all.pending.find(back.caller);
        return found != all.pending.end() && found->second.take(graph, back.node);
    }
    // Whether an activation, which begins here, holds something that nothing in it decided over.
    bool takes_call(uint64_t callee) {
        auto found = all.pending.find(callee);
        if (found == all.pending.end())
            return false;
        const bool wanted = !found->second.empty();
        all.pending.erase(found);
        return wanted;
    }
};

} // namespace heapstory::slice
