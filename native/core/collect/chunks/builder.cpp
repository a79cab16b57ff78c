// SPDX-License-Identifier: GPL-2.0-or-later
#include "collect/chunks/builder.h"

#include "collect/chunks/store_records.h"
#include "heapstory_wire.h"

#include <algorithm>
#include <utility>

namespace heapstory {

void GatheredSlots::make_room(size_t capacity) {
    if (capacity <= capacity_)
        return;
    auto slots = std::make_unique_for_overwrite<GatheredSlot[]>(capacity);
    auto keys = std::make_unique_for_overwrite<uint32_t[]>(capacity);
    std::copy_n(slots_.get(), size_, slots.get());
    std::copy_n(keys_.get(), size_, keys.get());
    slots_ = std::move(slots);
    keys_ = std::move(keys);
    capacity_ = capacity;
}

void ChunkBuilder::begin_chunk() {
    slots_.make_room(full + 256);
    runs_.values.reserve(full);
    lists.changes.assign(full / 64, 0);
}

const uint8_t *ChunkBuilder::take_stores(const uint8_t *at, const uint8_t *end,
                                         std::span<const StoreSite> sites, uint32_t context,
                                         uint64_t most_changes) {
    if (is_full() || timestamp_ >= most_changes)
        return at;
    // A record makes at most one slot, one event, one change.
    uint64_t most =
        std::min<uint64_t>({full - slots_.size() - runs_.values.size(), full - event_count_,
                            uint64_t(end - at) / 16, most_changes - timestamp_});
    end = at + 16 * most;
    for (;;) {
        uint32_t run = 0;
        at = take_alone(at, end, sites, context, run);
        if (!run)
            return at;
        add_run(at, run, sites[record_at(at).first >> HSW_ADDRESS_BITS]);
        at += 16 * run;
    }
}

namespace {

// Stores hit memory in no order: what a later one needs is fetched meanwhile, first the page, then
// the word.
[[gnu::always_inline]] inline void fetch_ahead(ShadowPage *const *table, const uint8_t *at,
                                               const uint8_t *end) {
    constexpr ptrdiff_t word_ahead = 8, page_ahead = 16; // records
    if (end - at <= 16 * page_ahead)
        return;
    auto address = [&](ptrdiff_t ahead) {
        return record_at(at + 16 * ahead).first & HSW_ADDRESS_MASK;
    };
    __builtin_prefetch(&table[address(page_ahead) / page_bytes]);
    const uint64_t next = address(word_ahead);
    if (ShadowPage *page = table[next / page_bytes]) {
        __builtin_prefetch(&page->image[next % page_bytes / 8], 1);
        __builtin_prefetch(&page->mask[next % page_bytes / 8], 1);
        __builtin_prefetch(&page->index);
    }
}

} // namespace

// The state is held in locals meanwhile: what is written through pointers might otherwise be the
// state itself, for all the compiler knows.
const uint8_t *ChunkBuilder::take_alone(const uint8_t *at, const uint8_t *end,
                                        std::span<const StoreSite> sites, uint32_t context,
                                        uint32_t &run) {
    ShadowPage *const *table = shadow_.table();
    const StoreSite *site_table = sites.data();
    const uint64_t site_count = sites.size();
    uint64_t *changes = lists.changes.data();
    GatheredSlot *slot = slots_.slots() + slots_.size();
    uint32_t *key = slots_.keys() + slots_.size();
    uint32_t count = event_count_;
    uint64_t changed = changed_, timestamp = timestamp_, live_words = 0;
    for (; at < end; at += 16) {
        const auto [first, value] = record_at(at);
        fetch_ahead(table, at, end);
        if (end - at >= 16 * least_run && may_start_run(at) &&
            (run = run_length(at, end, sites, context)))
            break;
        uint64_t number = first >> HSW_ADDRESS_BITS;
        if (number >= site_count)
            break;
        const StoreSite site = site_table[number];
        unsigned in_word = first % 8, word = first % page_bytes / 8;
        ShadowPage *page = table[(first & HSW_ADDRESS_MASK) / page_bytes];
        if (!site.holds_in(context) || in_word + site.size > 8 || !page ||
            page->index == ShadowPage::unused || (!site.begins && !count))
            break;
        count += site.begins;
        changed &= uint64_t(!site.begins);
        uint64_t changes_now = Shadow::store(*page, word, in_word, site.size, value, live_words);
        changes[(count - 1) / 64] |= changes_now << ((count - 1) % 64);
        timestamp += changes_now & ~changed;
        changed |= changes_now;
        *slot++ = {value, make_writer(site.site, make_shape(in_word, site.size)),
                   (count - 1) << 9 | word};
        *key++ = page->index << 9 | word;
    }
    slots_.set_size(size_t(slot - slots_.slots()));
    event_count_ = count;
    changed_ = changed;
    timestamp_ = timestamp;
    shadow_.add_live_words(live_words);
    return at;
}

void ChunkBuilder::add_slot(uint64_t address, unsigned size, uint64_t value, uint32_t site) {
    ShadowPage &page = shadow_.get(address);
    if (page.index == ShadowPage::unused) {
        page.index = uint32_t(pages_.size());
        pages_.push_back(&page);
    }
    unsigned word = address % page_bytes / 8, first = address % 8;
    if (shadow_.store(page, word, first, size, value))
        change();
    slots_.add({value, make_writer(site, make_shape(first, size)), (event_count_ - 1) << 9 | word},
               page.index << 9 | word);
}

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
    if (shadow_.copy(address, bytes))
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
        if (shadow_.copy(address + at, {piece.data(), size}))
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
    shadow_.copy(address, bytes);
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
    chunk.header.slots = uint32_t(slots_.size() + runs_.values.size());
    std::swap(chunk.slots, slots_);
    std::swap(chunk.runs, runs_);
    chunk.pages.swap(pages_);
    for (ShadowPage *page : chunk.pages)
        page->index = ShadowPage::unused;
    uint64_t next_node = lists.next_node();
    lists.changes.resize((event_count_ + 63) / 64);
    std::swap(chunk.lists, lists);

    lists.first_node = next_node;
    first_event_ += event_count_;
    first_timestamp_ = timestamp_;
    event_count_ = 0;
    begin_chunk();
    return chunk;
}

} // namespace heapstory
