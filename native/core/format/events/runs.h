// Runs of slots: what a loop over an array stores.
// SPDX-License-Identifier: GPL-2.0-or-later
//
// A run is a stretch of consecutive events of one writer whose addresses are a constant distance
// apart, all in one page. A segment keeps its runs in two packed columns behind those of the other
// slots (slots.h), by page, then by time:
//
//   heads     per run, varints: zigzag distance of the address from the previous run's, zigzag
//             stride, slots, zigzag distance of the first event from the previous run's, zigzag
//             distance of the site, bytes of a slot | bytes kept of a value << 4 | differences <<
//             8, then the first value, and the part that all values share, if any
//   values    per slot: the low 0, 1, 2, 4 or 8 bytes, those in which the run's values differ
//
// What is kept are the values themselves or, where that takes fewer bytes, the zigzag difference of
// each from the one before.
#pragma once

#include "format/container/chunk.h"
#include "format/events/slot.h"

#include <cstdint>
#include <span>
#include <vector>

namespace heapstory {

struct SlotRun {
    uint64_t address = 0; // of the first slot
    int32_t stride = 0;   // bytes
    uint32_t count = 0;
    uint32_t event = 0; // of the first slot, counted from the chunk's first
    uint32_t site = 0;
    uint8_t size = 8; // bytes of a slot; addresses and stride are multiples of it
    const uint64_t *values = nullptr;

    uint64_t address_of(uint32_t i) const { return address + uint64_t(int64_t(stride) * i); }
    uint64_t page() const { return address / page_bytes; }
};

class RunEncoder {
  public:
    void clear();
    void add(const SlotRun &run);
    void end_segment();
    // Appends both columns of a segment.
    void pack_segment(size_t segment, ByteWriter &out);

  private:
    struct Ends { // of a segment's part of the columns
        size_t heads = 0, values = 0;
    };
    ByteWriter heads_;
    Bytes values_;
    std::vector<Ends> segments_;
    SlotRun last_;
    ColumnPacker values_packer_;
};

// Reads both columns and puts their slots among those of the segment, which has `most` in all: by
// word, then by event.
void decode_runs(ByteReader &in, uint32_t most, std::vector<Slot> &slots);

// Reads the heads only and appends the word of every slot.
void run_words(ByteReader &in, uint32_t most, std::vector<uint64_t> &words);

} // namespace heapstory
