// The words of executions: addresses that blocks accessed and values that they stored.
// SPDX-License-Identifier: GPL-2.0-or-later
//
// Stack pointers come first, in the order of time: from one block to the next they move as they did
// the last time that the one followed the other. All other words at one place of one block are kept
// side by side, since each resembles the one before: block by block in the order of ids, and place
// by place. Each such group is kept in the way that takes the fewest bytes. Packed columns:
//
//   stack      zigzag varint per stack pointer: distance from where it was expected
//   ways       a byte per group: enum WordsWay
//   near       zigzag varint per word of the ways that expect something: distance from that
//   tops       of each word of the others the last byte, which doubles have in common
//   uppers     the byte before that
//   lowers     and the other 6
//
// Before format 8, `whole` words had one column: 8 bytes per word.
#pragma once

#include "format/container/chunk.h"
#include "stream/block.h"
#include "stream/sequence.h"

#include <cstdint>
#include <span>

namespace heapstory {

enum class WordsWay : uint8_t {
    delta,  // as the word before; the first of a group: as the first of the group before
    stride, // as far from the word before as that one was from its predecessor
    frame,  // as far from the block's stack pointer as the word before was from its own
    whole   // nothing is expected
};

void encode_words(const stream::Sequence &sequence, std::span<const stream::Block> blocks,
                  ByteWriter &out);

// Of a sequence whose steps and operands are known, as written by a version of the format.
void decode_words(ByteReader &in, std::span<const stream::Block> blocks, uint16_t version,
                  stream::Sequence &into);

} // namespace heapstory
