// SPDX-License-Identifier: GPL-2.0-or-later
#include "collect/builder.h"

#include <algorithm>
#include <bit>
#include <numeric>
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

// Sorts by (page, word), keeping the order of time: radix sort over the page's rank and the word.
void ChunkBuilder::sort_slots() {
    size_t count = slots_.size();
    std::vector<uint32_t> by_number(pages_.size());
    std::iota(by_number.begin(), by_number.end(), 0);
    std::sort(by_number.begin(), by_number.end(),
              [this](uint32_t a, uint32_t b) { return pages_[a] < pages_[b]; });
    std::vector<uint32_t> rank(pages_.size());
    sorted_pages_.resize(pages_.size());
    for (uint32_t i = 0; i < by_number.size(); ++i) {
        rank[by_number[i]] = i;
        sorted_pages_[i] = pages_[by_number[i]];
    }
    unsigned bits = 9 + unsigned(std::bit_width(pages_.size()));
    unsigned passes = (bits + 10) / 11;
    unsigned digit = (bits + passes - 1) / passes;
    uint32_t mask = (1u << digit) - 1;
    std::vector<uint32_t> counts(size_t(passes) << digit);
    order_.resize(count);
    spare_.resize(count);
    for (size_t i = 0; i < count; ++i) {
        uint32_t key = rank[slots_[i].key >> 9] << 9 | (slots_[i].key & 511);
        order_[i] = uint64_t(key) << 32 | i;
        for (unsigned pass = 0; pass < passes; ++pass)
            ++counts[(pass << digit) + (key >> (pass * digit) & mask)];
    }
    for (unsigned pass = 0; pass < passes; ++pass) {
        uint32_t *count_of = &counts[pass << digit];
        uint32_t sum = 0;
        for (uint32_t i = 0; i <= mask; ++i)
            sum += std::exchange(count_of[i], sum);
        unsigned shift = 32 + pass * digit;
        for (size_t i = 0; i < count; ++i)
            spare_[count_of[order_[i] >> shift & mask]++] = order_[i];
        order_.swap(spare_);
    }
}

void ChunkBuilder::encode_slots() {
    encoder_.clear();
    Slot slot;
    constexpr size_t ahead = 16; // slots are gathered from all over the chunk
    for (size_t i = 0; i < order_.size(); ++i) {
        if (i + ahead < order_.size())
            __builtin_prefetch(&slots_[uint32_t(order_[i + ahead])]);
        uint64_t item = order_[i];
        uint32_t key = uint32_t(item >> 32);
        const RawSlot &raw = slots_[uint32_t(item)];
        slot.word = uint64_t(sorted_pages_[key >> 9]) << 9 | (key & 511);
        slot.value = raw.value;
        slot.event = raw.event;
        slot.site = raw.site;
        slot.shape = raw.shape;
        encoder_.add(slot);
    }
    encoder_.finish();
}

void ChunkBuilder::flush(uint64_t next_node) {
    sort_slots();
    encode_slots();
    Bytes payload = encode_events(lists, encoder_);
    ChunkHeader header;
    header.events = event_count_;
    header.first_event = first_event_;
    header.first_timestamp = first_timestamp_;
    header.changes = uint32_t(timestamp_ - first_timestamp_);
    header.slots = uint32_t(slots_.size());
    writer_.append(ChunkKind::events, payload, header);

    first_event_ += event_count_;
    first_timestamp_ = timestamp_;
    event_count_ = 0;
    lists.changes.clear();
    lists.births.clear();
    lists.deaths.clear();
    lists.calls.clear();
    lists.switches.clear();
    lists.ranges.clear();
    lists.range_bytes.clear();
    lists.marks.clear();
    lists.open_calls.clear();
    lists.first_node = next_node;
    slots_.clear();
    pages_.clear();
    ++chunk_number_;
    shadow_.sweep();
}

} // namespace heapstory
