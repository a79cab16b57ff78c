// The look-up tables of a trace, made from its events chunks: written at close, or built in memory
// for a recording that was cut off.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "format/nodes.h"
#include "format/trace_file.h"
#include "format/word_index.h"

namespace heapstory {

// Timestamps of a chunk's events from its change bits.
class Timestamps {
  public:
    Timestamps() = default;
    Timestamps(std::vector<uint64_t> changes, uint64_t first_timestamp);
    // After the event (counted from the chunk's first).
    uint64_t of(uint32_t event) const;
    // How many events of the chunk have a timestamp up to `timestamp`.
    uint32_t events_by(uint64_t timestamp, uint32_t events) const;

  private:
    std::vector<uint64_t> changes_;
    std::vector<uint64_t> before_; // changes before each word of bits
};

struct Lookup {
    Bytes nodes; // payload of ChunkKind::nodes
    Bytes words; // payload of ChunkKind::words
};

Lookup build_lookup(const TraceFile &file);

} // namespace heapstory
