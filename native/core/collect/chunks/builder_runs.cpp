// The part of the builder that gathers runs.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "collect/chunks/builder.h"
#include "collect/chunks/store_records.h"
#include "heapstory_wire.h"

#include <algorithm>
#include <bit>

namespace heapstory {

namespace {

// Stores of T at `first_byte` of the page and on, every `stride` bytes. The values go to `values`,
// and a bit for each that changed its field to `changes`, from bit `event` on. Returns whether the
// last did.
template <class T>
bool store_run(ShadowPage &page, const GatheredRun &run, const uint8_t *records, uint64_t *values,
               uint64_t *changes, uint64_t &live_words) {
    uint8_t *bytes = reinterpret_cast<uint8_t *>(page.image);
    uint64_t gathered = 0, changed = 0, fresh_words = 0;
    uint32_t event = run.event;
    unsigned at = run.first_byte;
    for (uint32_t i = 0; i < run.count; ++i, ++event, at += unsigned(run.stride)) {
        T value = T(record_at(records + 16 * i).value), old;
        std::memcpy(&old, bytes + at, sizeof old);
        std::memcpy(bytes + at, &value, sizeof value);
        values[i] = value;
        uint8_t bits = uint8_t(((1u << sizeof(T)) - 1) << at % 8), mask = page.mask[at / 8];
        page.mask[at / 8] = mask | bits;
        fresh_words += mask == 0;
        changed = (old != value) | ((mask & bits) != bits);
        gathered |= changed << event % 64;
        if (event % 64 == 63) {
            changes[event / 64] |= gathered;
            gathered = 0;
        }
    }
    if (gathered)
        changes[event / 64] |= gathered;
    live_words += fresh_words;
    return changed;
}

} // namespace

uint32_t ChunkBuilder::run_length(const uint8_t *at, const uint8_t *end,
                                  std::span<const StoreSite> sites, uint32_t context) const {
    const uint64_t first = record_at(at).first, number = first >> HSW_ADDRESS_BITS;
    const int64_t stride = int64_t(record_at(at + 16).first - first);
    if (number >= sites.size())
        return 0;
    const StoreSite &site = sites[number];
    const ShadowPage *page = shadow_.table()[(first & HSW_ADDRESS_MASK) / page_bytes];
    if (!site.holds_in(context) || !site.begins || !page || page->index == ShadowPage::unused ||
        first % site.size || stride % site.size)
        return 0;
    const uint64_t most = uint64_t(end - at) / 16, page_of_first = first / page_bytes;
    uint64_t count = 1, next = first + uint64_t(stride);
    while (count < most && record_at(at + 16 * count).first == next &&
           next / page_bytes == page_of_first) {
        ++count;
        next += uint64_t(stride);
    }
    return count < least_run ? 0 : uint32_t(count);
}

void ChunkBuilder::add_run(const uint8_t *at, uint32_t count, const StoreSite &site) {
    const uint64_t first = record_at(at).first;
    ShadowPage &page = *shadow_.table()[(first & HSW_ADDRESS_MASK) / page_bytes];
    GatheredRun run;
    run.page = page.index;
    run.first_byte = uint16_t(first % page_bytes);
    run.stride = int32_t(record_at(at + 16).first - first);
    run.event = event_count_;
    run.count = count;
    run.site = site.site;
    run.size = site.size;
    run.values = uint32_t(runs_.values.size());
    runs_.runs.push_back(run);
    runs_.values.resize(runs_.values.size() + count);
    uint64_t *values = runs_.values.data() + run.values, *changes = lists.changes.data();
    uint64_t live_words = 0;
    auto store = site.size == 1   ? store_run<uint8_t>
                 : site.size == 2 ? store_run<uint16_t>
                 : site.size == 4 ? store_run<uint32_t>
                                  : store_run<uint64_t>;
    changed_ = store(page, run, at, values, changes, live_words);
    for (uint32_t event = run.event; event < run.event + count;) {
        uint32_t bits = std::min(64 - event % 64, run.event + count - event);
        uint64_t mask = (bits == 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1) << event % 64;
        timestamp_ += uint64_t(std::popcount(changes[event / 64] & mask));
        event += bits;
    }
    event_count_ += count;
    shadow_.add_live_words(live_words);
}

} // namespace heapstory
