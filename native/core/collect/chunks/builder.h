// Gathers one chunk of events.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "collect/chunks/gathered.h"
#include "collect/chunks/shadow.h"
#include "collect/program/store_site.h"
#include "format/events/events.h"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace heapstory {

class ChunkBuilder {
  public:
    explicit ChunkBuilder(Shadow &shadow) : shadow_(shadow) { begin_chunk(); }

    EventLists lists;

    uint64_t events() const { return first_event_ + event_count_; } // so far
    uint64_t timestamp() const { return timestamp_; }
    uint32_t position() const { return event_count_; } // in this chunk
    bool empty() const {
        return !event_count_ && lists.births.empty() && lists.deaths.empty() &&
               lists.marks.empty() && lists.calls.empty() && lists.ranges.empty();
    }
    bool is_full() const {
        return slots_.size() + runs_.values.size() >= full || event_count_ >= full ||
               lists.range_bytes.size() >= full_range_bytes;
    }

    // Starts a new event; stores and ranges up to the next one are part of it.
    void begin_event() {
        ++event_count_;
        changed_ = false;
    }
    // Says that the event advances the timestamp; saying it twice is saying it once.
    void change() {
        if (changed_)
            return;
        changed_ = true;
        lists.changes[(event_count_ - 1) / 64] |= uint64_t(1) << ((event_count_ - 1) % 64);
        ++timestamp_;
    }

    // Takes store records as long as they are simple: a known site, one word, a page that the chunk
    // has met before; each begins its event if need be. Those of a loop over an array become a run.
    // Stops before one that is not simple, when the chunk is full or when the timestamp may have
    // reached `most_changes`. Returns where.
    const uint8_t *take_stores(const uint8_t *at, const uint8_t *end,
                               std::span<const StoreSite> sites, uint32_t context,
                               uint64_t most_changes);
    // A store of up to 8 bytes as part of the current event.
    void store(uint64_t address, unsigned size, uint64_t value, uint32_t site) {
        unsigned in_word = address % 8;
        if (in_word + size <= 8) [[likely]] {
            add_slot(address, size, value, site);
            return;
        }
        unsigned first = 8 - in_word;
        add_slot(address, first, value & ((uint64_t(1) << (8 * first)) - 1), site);
        add_slot(address + first, size - first, value >> (8 * first), site);
    }
    // Any number of bytes as part of the current event.
    void copy(uint64_t address, ByteSpan bytes, uint32_t site);
    void fill(uint64_t address, uint64_t length, uint8_t byte, uint32_t site);
    // Contents that were there before the recording: no event.
    void initial(uint64_t address, ByteSpan bytes);

    // Hands over what was gathered.
    GatheredChunk take();

  private:
    static constexpr size_t full = size_t(1) << 16; // slots: they fit the second-level cache
    static constexpr size_t full_range_bytes = size_t(4) << 20;
    static constexpr size_t longest_cut = 256; // bytes of a ranged store that is cut into slots

    void begin_chunk();
    // Up to `end`; as take_stores, but stops before a run as well, and says how long that is.
    const uint8_t *take_alone(const uint8_t *at, const uint8_t *end,
                              std::span<const StoreSite> sites, uint32_t context, uint32_t &run);
    // How many records from `at` on are a run; 0 if they are none.
    uint32_t run_length(const uint8_t *at, const uint8_t *end, std::span<const StoreSite> sites,
                        uint32_t context) const;
    void add_run(const uint8_t *at, uint32_t count, const StoreSite &site);
    void add_slot(uint64_t address, unsigned size, uint64_t value, uint32_t site);
    void add_range(const Range &range, ByteSpan bytes);

    Shadow &shadow_;
    uint64_t first_event_ = 0, first_timestamp_ = 0, timestamp_ = 0;
    uint32_t event_count_ = 0;
    bool changed_ = false;
    GatheredSlots slots_;
    GatheredRuns runs_;
    std::vector<ShadowPage *> pages_; // by index
};

} // namespace heapstory
