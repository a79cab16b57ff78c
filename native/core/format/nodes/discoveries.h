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

enum class EndKind : uint8_t { unknown = 0, freed, reused, unmapped, reallocated };

struct NodeEnd { // of one that was not freed
    uint64_t node = 0;
    EndKind how = EndKind::unknown;
};

enum class SuspicionKind : uint8_t {
    unknown = 0,
    offset, // base + offset lies in another node
    range,  // a ranged operation runs into another node
    walk,   // a pointer walked into another node
    stale,  // the node was given up; both nodes are it
    field   // a ranged write over a field of its node that the code addresses by itself
};

struct Suspicion {
    uint64_t after = 0;
    SuspicionKind kind = SuspicionKind::unknown;
    bool possible = false;
    uint32_t site = 0;
    uint64_t address = 0, bytes = 0, base = 0; // what was accessed, from where
    uint64_t node = 0, reached = 0;            // the base's node, the address's (0: none)
};

enum class CountKind : uint8_t {
    unknown = 0,
    high,     // accesses to heap that is not recorded, above 128 GiB
    far,      // base and address far apart and a node between them: not learnt
    silent,   // suspicious accesses beyond the first of a statement
    bad_free, // of what is no node's start
    quiet,    // checks that failed often, taught nothing and were switched off
    crowded   // merges not made: a cluster was full
};

struct Count {
    CountKind what = CountKind::unknown;
    uint64_t times = 0;
};

enum class CandidateKind : uint8_t { unknown = 0, gives, takes };

struct Candidate { // a function that looks like an allocator's
    CandidateKind kind = CandidateKind::unknown;
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
