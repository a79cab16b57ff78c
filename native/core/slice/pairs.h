// Loads of a part of memory that depend on each other.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "slice/prepared.h"
#include "stream/sequence.h"

#include <cstdint>
#include <vector>

namespace heapstory::slice {

enum class PairKind : uint8_t {
    address, // where the second loads from was computed from what the first loaded
    control  // a branch on it decided whether the second ran
};

struct LoadPair {
    uint64_t from = 0, to = 0; // instructions
    PairKind kind = PairKind::address;
    uint64_t count = 0; // executions of the second
};

// Memory whose loads are looked at, from one step up to another.
struct LoadRange {
    stream::Range memory;
    uint64_t since = 0, until = ~uint64_t(0);
};

struct LoadPairs {
    std::vector<LoadPair> pairs; // by addresses
    uint64_t loads = 0;          // executed, from that memory
    bool cut = false; // a value came from more loads than are kept: there may be more pairs
};

// Pairs are the nearest: a value that a load brings from the memory comes from that load alone, not
// from those that found its address, which makes longer dependences chains of pairs. Other memory
// and registers pass on what is in them.
LoadPairs load_pairs(const Prepared &prepared, const std::vector<LoadRange> &memory,
                     const Progress &progress = {});

} // namespace heapstory::slice
