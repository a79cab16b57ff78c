// A stretch of the stream on its way from the builder to the packer.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "collect/stream/spares.h"
#include "format/stream/sequences.h"
#include "format/stream/windows.h"
#include "stream/block.h"
#include "stream/sequence.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace heapstory {

struct GatheredSequence {
    std::shared_ptr<Spares<stream::Sequence>> spares; // to which the sequence goes back
    std::vector<stream::Block> blocks;                // met for the first time
    std::vector<uint64_t> instructions_met;           // of the program's own among them
    stream::Sequence sequence;
    uint64_t first_instruction = 0; // how many ran before
    uint32_t instructions = 0;
    uint64_t first_event = 0; // the next event's number at its first step
    std::vector<EventStep> events;
};

} // namespace heapstory
