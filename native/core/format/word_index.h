// Which events chunks hold versions of which word: the first step of looking one up.
// SPDX-License-Identifier: GPL-2.0-or-later
//
//   u64 groups | WordGroup[groups] | bodies
//
// Group k covers the events chunks 64 k .. 64 k + 63. Its body is PageList[pages], by page, then
// for each page a list: the chunks with long ranged stores on the page (count, then distances), and
// the keys word in the page << 6 | chunk in the group, ascending, as varint distances.
#pragma once

#include "format/events.h"

#include <cstdint>
#include <span>
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
    // Events chunks, in order.
    void add(const EventsView &view);
    Bytes encode();

  private:
    void finish_group();
    uint64_t chunks_ = 0;
    std::vector<uint64_t> words_;  // word << 6 | chunk in the group
    std::vector<uint64_t> ranges_; // page << 6 | chunk in the group
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
