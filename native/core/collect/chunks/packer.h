// Sorts and encodes what the builder has gathered, writes it, and notes who wrote which word last
// and which words the chunk holds.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "collect/chunks/gathered.h"
#include "collect/chunks/write_queue.h"
#include "collect/stream/spares.h"
#include "format/container/trace_file.h"
#include "format/index/word_index.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace heapstory {

class ChunkPacker {
  public:
    // What is written, and compressed before, is written by `writing`.
    ChunkPacker(TraceWriter &writer, Shadow &shadow, WriteQueue &writing)
        : writer_(writer), shadow_(shadow), writing_(writing),
          words_([this](const Bytes &group) { write_words(group); }) {}
    void write(const std::shared_ptr<const GatheredChunk> &chunk);
    // There will be no more chunks.
    void finish() { words_.finish(); }

  private:
    void sort_pages(const GatheredChunk &chunk);
    // On the way a slot is the rank of its page above its index.
    template <class Element, unsigned index_bits> void sort_and_encode(const GatheredChunk &chunk);
    void sort_runs(const GatheredChunk &chunk);
    void note_lasts(const GatheredChunk &chunk);
    void note_ranges(const GatheredChunk &chunk);
    void write_words(const Bytes &group);

    TraceWriter &writer_;
    Shadow &shadow_;
    WriteQueue &writing_;
    std::vector<uint32_t> rank_; // by page index
    struct SortedPage {
        ShadowPage *page;
        uint64_t first_word;
        uint64_t *chunks; // its words in the index
    };
    std::vector<SortedPage> sorted_pages_; // by rank
    std::vector<SlotRun> sorted_runs_;
    std::vector<WrittenSlot> lasts_; // of every word, those of runs excluded
    // Shared with what waits to be written, which may outlive the packer.
    using SpareEncoders = Spares<std::shared_ptr<SlotEncoder>>;
    std::shared_ptr<SpareEncoders> encoders_ = std::make_shared<SpareEncoders>();
    std::shared_ptr<SlotEncoder> encoder_; // of the present chunk
    WordIndexBuilder words_;
};

} // namespace heapstory
