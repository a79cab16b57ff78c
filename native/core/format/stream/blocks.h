// Blocks of code as the trace keeps them: each once, before the first sequence in which it runs.
// SPDX-License-Identifier: GPL-2.0-or-later
//
// The header's `first_word` is the id of the chunk's first block, its `slots` their number; ids go
// up by one. The payload is three packed columns, of one block after the other:
//
//   code       its bytes
//   blocks     varints: zigzag distance of the address from the previous block's, bytes of code,
//              jump | own << 3, words, stack word + 1, stub (and, where there is one, its
//              registers), accesses, exits; per exit: instruction, accesses
//   accesses   varints: distance of the instruction from the previous access', is store | has value
//              << 1 | has guard << 2, size, word + 1, zigzag displacement, then guard, value (or
//              zigzag constant, of a store) where it has them
#pragma once

#include "format/container/chunk.h"
#include "stream/block.h"

#include <cstdint>
#include <span>
#include <vector>

namespace heapstory {

// Fills in what the header says of them.
Bytes encode_blocks(std::span<const stream::Block> blocks, uint32_t first_id, ChunkHeader &header);

// Appends the chunk's blocks to those of the chunks before it, the first of which has id 1.
void decode_blocks(ByteSpan payload, const ChunkHeader &header, std::vector<stream::Block> &blocks);

} // namespace heapstory
