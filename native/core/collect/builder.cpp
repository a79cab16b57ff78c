// SPDX-License-Identifier: GPL-2.0-or-later
#include "collect/builder.h"

#include <algorithm>
#include <utility>

namespace heapstory {

void ChunkBuilder::copy(uint64_t address, ByteSpan bytes, uint32_t site) {
    if (bytes.size() <= longest_cut) {
        for (size_t at = 0; at < bytes.size();) {
            size_t size = std::min(bytes.size() - at, 8 - (address + at) % 8);
            uint64_t value = 0;
            std::memcpy(&value, bytes.data() + at, size);
            add_slot(address + at, unsigned(size), value, site);
            at += size;
        }
        return;
    }
    // A range covers whole words; what sticks out at either end becomes slots.
    size_t head = (8 - address % 8) % 8, tail = (address + bytes.size()) % 8;
    copy(address, bytes.first(head), site);
    copy(address + bytes.size() - tail, bytes.last(tail), site);
    address += head;
    bytes = bytes.subspan(head, bytes.size() - head - tail);
    if (shadow_.copy(address, bytes, events() - 1, site))
        change();
    Range range;
    range.event = event_count_ - 1;
    range.address = address;
    range.length = bytes.size();
    range.site = site;
    add_range(range, bytes);
}

void ChunkBuilder::add_range(const Range &range, ByteSpan bytes) {
    lists.ranges.push_back(range);
    lists.range_bytes.insert(lists.range_bytes.end(), bytes.begin(), bytes.end());
}

void ChunkBuilder::fill(uint64_t address, uint64_t length, uint8_t byte, uint32_t site) {
    Bytes piece(std::min<uint64_t>(length, 1 << 16), byte);
    if (length <= longest_cut) {
        copy(address, piece, site);
        return;
    }
    uint64_t head = (8 - address % 8) % 8, tail = (address + length) % 8;
    copy(address, ByteSpan(piece).first(head), site);
    copy(address + length - tail, ByteSpan(piece).first(tail), site);
    address += head;
    length -= head + tail;
    for (uint64_t at = 0; at < length; at += piece.size()) {
        uint64_t size = std::min<uint64_t>(piece.size(), length - at);
        if (shadow_.copy(address + at, {piece.data(), size}, events() - 1, site))
            change();
    }
    Range range;
    range.event = event_count_ - 1;
    range.address = address;
    range.length = length;
    range.site = site;
    range.is_fill = true;
    range.fill = byte;
    add_range(range, {});
}

void ChunkBuilder::initial(uint64_t address, ByteSpan bytes) {
    shadow_.copy(address, bytes, events(), 0);
    // Whole words, as every range has.
    uint64_t first = address & ~uint64_t(7), end = (address + bytes.size() + 7) & ~uint64_t(7);
    Bytes words = shadow_.read(first, end - first);
    Range range;
    range.event = event_count_;
    range.address = first;
    range.length = words.size();
    range.is_initial = true;
    add_range(range, words);
}

GatheredChunk ChunkBuilder::take() {
    GatheredChunk chunk;
    chunk.header.events = event_count_;
    chunk.header.first_event = first_event_;
    chunk.header.first_timestamp = first_timestamp_;
    chunk.header.changes = uint32_t(timestamp_ - first_timestamp_);
    chunk.header.slots = uint32_t(slots_.size());
    chunk.slots.reserve(full + 64);
    chunk.slots.swap(slots_);
    chunk.pages.swap(pages_);
    uint64_t next_node = lists.next_node();
    std::swap(chunk.lists, lists);

    first_event_ += event_count_;
    first_timestamp_ = timestamp_;
    event_count_ = 0;
    lists.first_node = next_node;
    ++chunk_number_;
    shadow_.sweep();
    return chunk;
}

} // namespace heapstory
