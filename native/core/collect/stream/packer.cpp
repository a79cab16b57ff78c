// SPDX-License-Identifier: GPL-2.0-or-later
#include "collect/stream/packer.h"

#include "format/stream/blocks.h"

#include <utility>

namespace heapstory {

void StreamPacker::meet(const GatheredSequence &gathered) {
    blocks_.insert(blocks_.end(), gathered.blocks.begin(), gathered.blocks.end());
}

std::vector<PackedChunk> StreamPacker::pack(GatheredSequence &gathered) const {
    std::vector<PackedChunk> packed;
    if (!gathered.blocks.empty()) {
        const size_t before = blocks_.size() - gathered.blocks.size();
        ChunkHeader header;
        Bytes payload = encode_blocks(gathered.blocks, uint32_t(before) + 1, header);
        packed.push_back({ChunkKind::blocks, std::move(payload), header});
    }
    if (gathered.sequence.block.empty())
        return packed;
    ChunkHeader header;
    header.first_event = gathered.first_event;
    header.first_timestamp = gathered.first_instruction;
    header.changes = gathered.instructions;
    Bytes payload = encode_sequence(gathered.sequence, blocks_, gathered.events, header);
    packed.push_back({ChunkKind::stream, std::move(payload), header});
    gathered.spares->give(std::move(gathered.sequence));
    return packed;
}

} // namespace heapstory
