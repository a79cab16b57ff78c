// Sorts and encodes what the builder has gathered, writes it, and notes who wrote which word last
// and which words the chunk holds.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "collect/chunks/gathered.h"
#include "format/container/trace_file.h"
#include "format/index/word_index.h"

#include <cstdint>
#include <vector>

namespace heapstory {

class ChunkPacker {
  public:
    ChunkPacker(TraceWriter &writer, Shadow &shadow)
        : writer_(writer), shadow_(shadow),
          words_([&writer](const Bytes &group) { writer.append(ChunkKind::words, group); }) {}
    void write(const GatheredChunk &chunk);
    // There will be no more chunks.
    void finish() { words_.finish(); }

  private:
    void sort_pages(const GatheredChunk &chunk);
    // On the way a slot is the rank of its page above its index.
    template <class Element, unsigned index_bits> void sort_and_encode(const GatheredChunk &chunk);
    void sort_runs(const GatheredChunk &chunk);
    void note_lasts(const GatheredChunk &chunk);
    void note_ranges(const GatheredChunk &chunk);

    TraceWriter &writer_;
    Shadow &shadow_;
    std::vector<uint32_t> rank_; // by page index
    struct SortedPage {
        ShadowPage *page;
        uint64_t first_word;
        uint64_t *chunks; // its words in the index
    };
    std::vector<SortedPage> sorted_pages_; // by rank
    std::vector<SlotRun> sorted_runs_;
    std::vector<WrittenSlot> lasts_; // of every word, those of runs excluded
    SlotEncoder encoder_;
    WordIndexBuilder words_;
};

} // namespace heapstory
