// Sorts and encodes what the builder has gathered, and writes it.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "format/events.h"
#include "format/trace_file.h"

#include <cstdint>
#include <vector>

namespace heapstory {

struct GatheredSlot {
    uint64_t value;
    uint32_t key; // page index << 9 | word in the page
    uint32_t event;
    uint32_t site;
    uint8_t shape;
};

// One chunk of events in the order of time.
struct GatheredChunk {
    ChunkHeader header;
    std::vector<GatheredSlot> slots;
    std::vector<uint32_t> pages; // page numbers by index
    EventLists lists;
};

class ChunkPacker {
  public:
    explicit ChunkPacker(TraceWriter &writer) : writer_(writer) {}
    void write(const GatheredChunk &chunk);

  private:
    void sort(const GatheredChunk &chunk);
    void encode(const GatheredChunk &chunk);

    TraceWriter &writer_;
    std::vector<uint64_t> order_, spare_; // key << 32 | slot
    std::vector<uint32_t> sorted_pages_;
    SlotEncoder encoder_;
};

} // namespace heapstory
