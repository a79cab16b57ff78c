// What the modes portable and internals find out beyond births and deaths of nodes, as lists in
// time order (docs/internals/portable.md). One chunk holds what came since the last: of each list
// the number of rows, then a packed column for each member, as distances from the row before.
// SPDX-License-Identifier: GPL-2.0-or-later
//
// `after` says that something holds after so many events, as for births and deaths of nodes.
#pragma once

#include "format/container/trace_file.h"

#include <cstdint>
#include <vector>

namespace heapstory {

// Births of these modes have this bit and an enum hsw_node where others have their allocator.
constexpr uint8_t discovered = 8;

struct Origin { // a node split off another, which keeps what lies below the border
    uint64_t node = 0, source = 0, border = 0;
};

struct Extent { // replaces the one of the node's birth, for its whole life
    uint64_t node = 0, address = 0, size = 0;
};

struct Merge {
    uint64_t after = 0, from = 0, to = 0;
    uint32_t site = 0;
};

struct Separation { // all members of its cluster that start at or above the node leave it
    uint64_t after = 0, node = 0;
    uint32_t site = 0;
};

struct NodeEnd { // of one that was not freed
    uint64_t node = 0;
    uint8_t how = 0; // enum hsw_node_end
};

struct Suspicion {
    uint64_t after = 0;
    uint8_t kind = 0; // enum hsw_suspicion
    bool possible = false;
    uint32_t site = 0;
    uint64_t address = 0, bytes = 0, base = 0; // what was accessed, from where
    uint64_t node = 0, reached = 0;            // the base's node, the address's (0: none)
};

struct Count {
    uint8_t what = 0; // enum hsw_counted
    uint64_t times = 0;
};

struct Candidate {    // a function that looks like an allocator's
    uint8_t kind = 0; // enum hsw_candidate
    uint32_t site = 0;
    uint64_t address = 0, bytes = 0; // of its code
    uint64_t blocks = 0;             // that it gave out or took back
};

struct TrueBlock { // what an allocator really did, where that was asked for
    uint64_t after = 0, address = 0, size = 0;
    bool is_free = false;
};

struct Discoveries {
    std::vector<Origin> origins;
    std::vector<Extent> extents;
    std::vector<Merge> merges;
    std::vector<Separation> separations;
    std::vector<NodeEnd> ends;
    std::vector<Suspicion> suspicions;
    std::vector<Count> counts;
    std::vector<Candidate> candidates;
    std::vector<TrueBlock> truth;

    bool empty() const;
};

Bytes encode_discoveries(const Discoveries &found);
// Adds a payload's lists to those before.
void decode_discoveries(ByteSpan payload, Discoveries &found);
// All of a trace.
Discoveries read_discoveries(const TraceFile &file);

} // namespace heapstory
