// The look-up tables of a trace, made from its events chunks: written at close, or built in memory
// for a recording that was cut off.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "format/container/trace_file.h"
#include "format/index/word_index.h"
#include "format/nodes/discoveries.h"
#include "format/nodes/nodes.h"

#include <bit>

namespace heapstory {

// Timestamps of a chunk's events from its change bits.
class Timestamps {
  public:
    Timestamps() = default;
    Timestamps(const std::vector<uint64_t> &changes, uint64_t first_timestamp);
    // After the event (counted from the chunk's first).
    uint64_t of(uint32_t event) const {
        size_t step = event / 64;
        if (step >= steps_.size())
            return last_;
        uint64_t upto = ~uint64_t(0) >> (63 - event % 64);
        return steps_[step].before + uint64_t(std::popcount(steps_[step].changes & upto));
    }
    // Soon to be asked for an event.
    void prefetch(uint32_t event) const {
        if (event / 64 < steps_.size())
            __builtin_prefetch(&steps_[event / 64]);
    }
    // How many events of the chunk have a timestamp up to `timestamp`.
    uint32_t events_by(uint64_t timestamp, uint32_t events) const;

  private:
    struct Step {                 // 64 events
        uint64_t changes, before; // their bits; the timestamp before them
    };
    std::vector<Step> steps_;
    uint64_t last_ = 0;
};

struct Lookup {
    Bytes nodes;              // payload of ChunkKind::nodes
    std::vector<Bytes> words; // payloads of ChunkKind::words
};

Lookup build_lookup(const TraceFile &file, const std::vector<Extent> &later);
// `later`: the extents that nodes got after the chunk of their birth was written.
Bytes build_nodes(const TraceFile &file, const std::vector<Extent> &later);

} // namespace heapstory
