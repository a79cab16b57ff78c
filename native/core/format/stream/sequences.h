// A stretch of the instruction stream as one chunk.
// SPDX-License-Identifier: GPL-2.0-or-later
//
// The header's `first_word` is the number of the first step, its `slots` that of the steps;
// `changes` instructions ran in it, `first_timestamp` before it. Of the
// events that happened meanwhile it has the first one's number, or the next one's if there was
// none, and how many there are. The payload:
//
//   head       two packed columns of varints: per event, how many events outside the stream came
//              before it since the previous one; per event, steps since the previous one
//   steps      see steps.h
//   words      see words.h
//   others     packed, varints: switches, faults and effects, each list with its length; steps as
//              distances from those before
#pragma once

#include "format/container/chunk.h"
#include "stream/block.h"
#include "stream/sequence.h"

#include <cstdint>
#include <span>
#include <vector>

namespace heapstory {

constexpr uint32_t sequence_steps = 1 << 16; // of a full one; effects of its last block follow

// An event, and the step in which it happened.
struct EventStep {
    uint64_t event = 0;
    uint32_t step = 0; // of the sequence
    bool operator==(const EventStep &) const = default;
};

// Fills in what the header says of it. `header.first_event` is the number of the next event as of
// its first step; `events` are in order. Blocks are by id, the first has id 1.
Bytes encode_sequence(const stream::Sequence &sequence, std::span<const stream::Block> blocks,
                      std::span<const EventStep> events, ChunkHeader &header);

void decode_sequence(ByteSpan payload, const ChunkHeader &header,
                     std::span<const stream::Block> blocks, stream::Sequence &into);

std::vector<EventStep> decode_event_steps(ByteSpan head, const ChunkHeader &header);

} // namespace heapstory
