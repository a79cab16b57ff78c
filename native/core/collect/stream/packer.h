// Encodes and writes what the builder of the stream has gathered.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "collect/stream/gathered.h"
#include "format/container/trace_file.h"

#include <vector>

namespace heapstory {

class StreamPacker {
  public:
    explicit StreamPacker(TraceWriter &writer) : writer_(writer) {}
    void write(GatheredSequence &gathered);

  private:
    TraceWriter &writer_;
    std::vector<stream::Block> blocks_; // all so far: the builder's own grow meanwhile
};

} // namespace heapstory
