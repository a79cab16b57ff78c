// One chunk of events in the order of time, on its way from the builder to the packer.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "collect/chunks/shadow.h"
#include "format/container/chunk.h"
#include "format/events/events.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace heapstory {

struct GatheredSlot {
    uint64_t value;
    uint32_t writer;     // see make_writer
    uint32_t event_word; // event << 9 | word in its page

    uint32_t event() const { return event_word >> 9; }
    unsigned word() const { return event_word & 511; }
};

// Slots, and beside each its key: page index << 9 | word in the page.
class GatheredSlots {
  public:
    size_t size() const { return size_; }
    GatheredSlot *slots() const { return slots_.get(); }
    uint32_t *keys() const { return keys_.get(); }
    // For those who write behind the end themselves, after making room.
    void set_size(size_t size) { size_ = size; }
    void make_room(size_t capacity);

    void add(const GatheredSlot &slot, uint32_t key) {
        if (size_ == capacity_)
            make_room(2 * capacity_);
        slots_[size_] = slot;
        keys_[size_] = key;
        ++size_;
    }

  private:
    size_t size_ = 0, capacity_ = 0;
    std::unique_ptr<GatheredSlot[]> slots_;
    std::unique_ptr<uint32_t[]> keys_;
};

// A run as the format has it (runs.h).
struct GatheredRun {
    uint32_t page; // index
    int32_t stride;
    uint32_t event, count;
    uint32_t site;
    uint32_t values;     // where they start
    uint16_t first_byte; // in the page
    uint8_t size;
};

struct GatheredRuns {
    std::vector<GatheredRun> runs; // in the order of time
    std::vector<uint64_t> values;  // of all, one per slot
};

struct GatheredChunk {
    ChunkHeader header;
    GatheredSlots slots; // those of runs excluded
    GatheredRuns runs;
    std::vector<ShadowPage *> pages; // by index
    EventLists lists;
};

} // namespace heapstory
