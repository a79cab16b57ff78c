// Which events chunks touch which 4-KiB page: the first step of looking up a word.
// SPDX-License-Identifier: GPL-2.0-or-later
//
//   u64 pages | PagePostings[pages] | for each page: chunk numbers as varint distances
#pragma once

#include "format/bytes.h"

#include <cstdint>
#include <span>
#include <vector>

namespace heapstory {

struct PagePostings {
    uint64_t page = 0;
    uint64_t offset = 0; // in the lists
};

class PageIndexBuilder {
  public:
    // Chunks in ascending order; pages of one chunk in any order.
    void add(uint32_t chunk, std::span<const uint32_t> pages);
    Bytes encode();

  private:
    std::vector<uint64_t> items_; // page << 32 | chunk
};

class PageIndex {
  public:
    PageIndex() = default;
    explicit PageIndex(ByteSpan payload);
    explicit PageIndex(Bytes payload);
    // Chunks that touch a page, ascending.
    std::vector<uint32_t> chunks(uint64_t page) const;

  private:
    void open(ByteSpan payload);
    Bytes kept_;
    std::span<const PagePostings> pages_;
    ByteSpan lists_;
};

} // namespace heapstory
