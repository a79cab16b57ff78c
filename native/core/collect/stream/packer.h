// Encodes and writes what the builder of the stream has gathered.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "collect/stream/gathered.h"
#include "format/container/trace_file.h"

#include <vector>

namespace heapstory {

// One chunk, ready to be written.
struct PackedChunk {
    ChunkKind kind;
    Bytes payload;
    ChunkHeader header;
};

// Sequences may be encoded by several packers, each on a thread of its own, as long as every packer
// is told the blocks of all of them in order.
class StreamPacker {
  public:
    void meet(const GatheredSequence &gathered);
    // Its blocks have been met. Its sequence is given back.
    std::vector<PackedChunk> pack(GatheredSequence &gathered) const;

  private:
    std::vector<stream::Block> blocks_; // all so far: the builder's own grow meanwhile
};

} // namespace heapstory
