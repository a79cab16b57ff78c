// All that a walk back looks for at one point of the stream.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "slice/backward/pending.h"
#include "slice/live_memory.h"
#include "stream/registers.h"

#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace heapstory::slice {

// An instruction that gets a register back, not counted until it is known what
// was saved.
struct Restore {
    uint32_t block;
    uint16_t instruction;
    uint64_t step;
    uint64_t activation;
    uint8_t saved;

    bool operator==(const Restore &) const = default;
};

struct Frontier {
    std::unordered_map<uint32_t, stream::RegisterSet> registers;                // by thread
    std::unordered_map<uint32_t, std::vector<stream::RegisterSet>> interrupted; // by signals
    LiveMemory memory;
    std::unordered_map<uint64_t, Pending> pending;  // by activation
    std::unordered_map<uint64_t, Restore> restores; // by the address of what was saved
    std::unordered_set<uint64_t> links; // words that are looked for because code went there

    // Two walks that look for the same go on in the same way.
    bool operator==(const Frontier &) const = default;

    // Drops what says nothing.
    void tidy() {
        std::erase_if(registers, [](const auto &one) { return one.second.empty(); });
        std::erase_if(interrupted, [](const auto &one) { return one.second.empty(); });
        std::erase_if(pending, [](const auto &one) { return one.second.empty(); });
        memory.tidy();
    }
    // Bytes of memory and registers. How to round is nobody's choice until somebody makes one.
    uint64_t bytes() const {
        uint64_t found = memory.bytes();
        for (const auto &[thread, set] : registers)
            for (unsigned i = 0; i < stream::register_bytes; ++i)
                found += set.has(i) && i / 4 != stream::mxcsr_register / 4;
        return found;
    }
};

} // namespace heapstory::slice
