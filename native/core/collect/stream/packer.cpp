// SPDX-License-Identifier: GPL-2.0-or-later
#include "collect/stream/packer.h"

#include "format/stream/blocks.h"

#include <algorithm>
#include <iterator>

namespace heapstory {

void StreamPacker::write(GatheredSequence &gathered) {
    if (!gathered.blocks.empty()) {
        ChunkHeader header;
        Bytes payload = encode_blocks(gathered.blocks, uint32_t(blocks_.size()) + 1, header);
        writer_.append(ChunkKind::blocks, payload, header);
        std::ranges::move(gathered.blocks, std::back_inserter(blocks_));
    }
    if (gathered.sequence.block.empty())
        return;
    ChunkHeader header;
    header.first_event = gathered.first_event;
    header.first_timestamp = gathered.first_instruction;
    header.changes = gathered.instructions;
    Bytes payload = encode_sequence(gathered.sequence, blocks_, gathered.events, header);
    writer_.append(ChunkKind::stream, payload, header);
    gathered.spares->give(std::move(gathered.sequence));
}

} // namespace heapstory
