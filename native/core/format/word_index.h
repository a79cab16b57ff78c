// Which events chunks hold versions of which word: the first step of looking one up.
// SPDX-License-Identifier: GPL-2.0-or-later
//
//   u64 groups | WordGroup[groups] | bodies
//
// Group k covers the events chunks 64 k .. 64 k + 63. Its body is PageList[pages], by page, then
// for each page a list: the chunks with long ranged stores on the page as a bit mask, the number of
// words, and for each word, ascending, a varint: distance from the word before << 2 | how its
// chunks are told: 0 as the word before, 1 one chunk (a byte), 2 a bit mask (8 bytes).
#pragma once

#include "format/events.h"

#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

namespace heapstory {

struct WordGroup {
    uint64_t pages = 0;
    uint64_t offset = 0, length = 0; // of its body
};

struct PageList {
    uint32_t page = 0, offset = 0; // after the page lists
};

class WordIndexBuilder {
  public:
    // Events chunks, in order: as a whole ...
    void add(const EventsView &view);
    // ... or word by word: those with the current chunk's bit set are in it.
    uint64_t *page(uint64_t number);
    uint64_t bit() const { return uint64_t(1) << (chunks_ % 64); }
    void add_range(const Range &range);
    void end_chunk();
    Bytes encode();

  private:
    struct Page {
        uint64_t words[512] = {}; // chunks of the group that hold each word, one bit each
        uint64_t ranges = 0;      // and those with ranges on the page
    };
    Page &get(uint64_t number);
    void finish_group();
    uint64_t chunks_ = 0;
    std::unordered_map<uint64_t, std::unique_ptr<Page>> pages_;
    uint64_t last_number_ = ~uint64_t(0);
    Page *last_page_ = nullptr;
    std::vector<WordGroup> groups_;
    ByteWriter bodies_;
};

class WordIndex {
  public:
    WordIndex() = default;
    explicit WordIndex(ByteSpan payload);
    explicit WordIndex(Bytes payload); // keeps it

    size_t groups() const { return groups_.size(); }
    static constexpr uint64_t group_chunks = 64;
    // Which chunks of a group may hold versions of words first .. last of one page: one bit each.
    uint64_t chunks(size_t group, uint64_t page, unsigned first, unsigned last) const;

  private:
    void open(ByteSpan payload);
    Bytes kept_;
    std::span<const WordGroup> groups_;
    ByteSpan bodies_;
};

} // namespace heapstory
