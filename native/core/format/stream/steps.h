// Which blocks ran, and how each was left.
// SPDX-License-Identifier: GPL-2.0-or-later
//
// What comes next is guessed: what followed the last time after the same few steps; if that was
// wrong, what followed the last time after the same step. Three packed columns tell of the steps
// for which the first guess was wrong:
//
//   gaps       varint: steps since the previous such step
//   surprises  varint: 0 where the second guess is right, else the block's id + 1
//   exits      of the latter: how the block was left
#pragma once

#include "format/container/chunk.h"
#include "stream/sequence.h"

#include <cstdint>

namespace heapstory {

void encode_steps(const stream::Sequence &sequence, ByteWriter &out);

// `steps` of them, of blocks up to id `blocks`.
void decode_steps(ByteReader &in, uint32_t steps, uint32_t blocks, stream::Sequence &into);

} // namespace heapstory
