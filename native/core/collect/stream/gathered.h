// A stretch of the stream on its way from the builder to the packer.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "format/stream/sequences.h"
#include "stream/block.h"
#include "stream/sequence.h"

#include <cstdint>
#include <vector>

namespace heapstory {

struct GatheredSequence {
    std::vector<stream::Block> blocks; // met for the first time
    stream::Sequence sequence;
    uint64_t first_event = 0; // the next event's number at its first step
    std::vector<EventStep> events;
};

} // namespace heapstory
