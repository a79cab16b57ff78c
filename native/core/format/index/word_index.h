// Which events chunks hold versions of which word: the first step of looking one up.
// SPDX-License-Identifier: GPL-2.0-or-later
//
//   u64 pages | PageList[pages] | lists
//
// Every 64 events chunks are a group, which has such a payload; a trace has them in the order of
// the groups. Pages ascend. A page's list: the chunks with long ranged stores on the page as a bit
// mask, the number of words, and for each word, ascending, a varint: distance from the word before
// << 2 | how its chunks are told: 0 as the word before, 1 one chunk (a byte), 2 a bit mask (8
// bytes).
#pragma once

#include "format/container/trace_file.h"
#include "format/events/events.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

namespace heapstory {

struct PageList {
    uint32_t page = 0, offset = 0; // in the lists
};

class WordIndexBuilder {
  public:
    // `write` gets the payload of each group when its chunks are complete.
    explicit WordIndexBuilder(std::function<void(const Bytes &)> write)
        : write_(std::move(write)) {}
    // Events chunks, in order: as a whole ...
    void add(const EventsView &view);
    // ... or word by word: those with the current chunk's bit set are in it.
    uint64_t *page(uint64_t number);
    uint64_t bit() const { return uint64_t(1) << (chunks_ % 64); }
    void add_range(const Range &range);
    void end_chunk();
    // There will be no more chunks.
    void finish();

  private:
    struct Page {
        uint64_t words[512] = {}; // chunks of the group that hold each word, one bit each
        uint64_t ranges = 0;      // and those with ranges on the page
    };
    Page &get(uint64_t number);
    void finish_group();
    const std::function<void(const Bytes &)> write_;
    uint64_t chunks_ = 0, written_ = 0; // events chunks, groups
    std::unordered_map<uint64_t, std::unique_ptr<Page>> pages_;
    uint64_t last_number_ = ~uint64_t(0);
    Page *last_page_ = nullptr;
};

class WordIndex {
  public:
    // The chunks of a file with the groups' payloads, which are read when they are needed.
    WordIndex(const TraceFile &file, std::vector<uint32_t> groups)
        : file_(&file), in_file_(std::move(groups)) {}
    explicit WordIndex(std::vector<Bytes> groups) : kept_(std::move(groups)) {}

    size_t groups() const { return file_ ? in_file_.size() : kept_.size(); }
    static constexpr uint64_t group_chunks = 64;
    // Which chunks of a group may hold versions of words first .. last of one page: one bit each.
    uint64_t chunks(size_t group, uint64_t page, unsigned first, unsigned last) const;

  private:
    const TraceFile *file_ = nullptr;
    std::vector<uint32_t> in_file_;
    std::vector<Bytes> kept_;
};

} // namespace heapstory
