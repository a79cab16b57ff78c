// SPDX-License-Identifier: GPL-2.0-or-later
#include "collect/packer.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

namespace heapstory {

// Sorts by (page, word), keeping the order of time: radix sort over the page's rank and the word.
void ChunkPacker::sort(const GatheredChunk &chunk) {
    const auto &slots = chunk.slots;
    const auto &pages = chunk.pages;
    size_t count = slots.size();
    std::vector<uint32_t> by_number(pages.size());
    std::iota(by_number.begin(), by_number.end(), 0);
    std::sort(by_number.begin(), by_number.end(),
              [&](uint32_t a, uint32_t b) { return pages[a] < pages[b]; });
    std::vector<uint32_t> rank(pages.size());
    sorted_pages_.resize(pages.size());
    for (uint32_t i = 0; i < by_number.size(); ++i) {
        rank[by_number[i]] = i;
        sorted_pages_[i] = pages[by_number[i]];
    }
    unsigned bits = 9 + unsigned(std::bit_width(pages.size()));
    unsigned passes = (bits + 10) / 11;
    unsigned digit = (bits + passes - 1) / passes;
    uint32_t mask = (1u << digit) - 1;
    std::vector<uint32_t> counts(size_t(passes) << digit);
    order_.resize(count);
    spare_.resize(count);
    for (size_t i = 0; i < count; ++i) {
        uint32_t key = rank[slots[i].key >> 9] << 9 | (slots[i].key & 511);
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

void ChunkPacker::encode(const GatheredChunk &chunk) {
    encoder_.clear();
    const uint64_t *order = order_.data();
    const GatheredSlot *slots = chunk.slots.data();
    const uint32_t *pages = sorted_pages_.data();
    size_t count = order_.size();
    encoder_.add_sorted(count, [=](size_t i) {
        constexpr size_t ahead = 16; // slots are gathered from all over the chunk
        if (i + ahead < count)
            __builtin_prefetch(&slots[uint32_t(order[i + ahead])]);
        uint32_t key = uint32_t(order[i] >> 32);
        const GatheredSlot &gathered = slots[uint32_t(order[i])];
        Slot slot;
        slot.word = uint64_t(pages[key >> 9]) << 9 | (key & 511);
        slot.value = gathered.value;
        slot.event = gathered.event;
        slot.site = gathered.site;
        slot.shape = gathered.shape;
        return slot;
    });
    encoder_.finish();
}

void ChunkPacker::write(const GatheredChunk &chunk) {
    sort(chunk);
    encode(chunk);
    writer_.append(ChunkKind::events, encode_events(chunk.lists, encoder_), chunk.header);
}

} // namespace heapstory
