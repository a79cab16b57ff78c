// The instruction stream of an opened trace.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "format/stream/sequences.h"
#include "format/stream/windows.h"
#include "store/store.h"
#include "stream/sequence.h"

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

namespace heapstory {

// What a trace has of an instruction stream, by the headers of its chunks alone.
struct StreamTotals {
    struct Window {
        uint64_t first_step = 0, steps = 0, instructions = 0;
        std::optional<WindowEnd> end; // none: it was cut off
    };
    uint64_t blocks = 0, steps = 0, instructions = 0;
    uint64_t bytes = 0; // of its chunks
    std::vector<Window> windows;
};
StreamTotals stream_totals(const Store &store);

// Blocks are all in memory, sequences are decoded when they are asked for. A walk over the stream
// meets each once; but a short stream is walked more than once, and kept.
class StoredStream : public stream::Source {
  public:
    explicit StoredStream(std::shared_ptr<const Store> store);

    uint32_t blocks() const override { return uint32_t(blocks_.size()); }
    const stream::Block &block(uint32_t id) const override { return blocks_[id - 1]; }
    uint32_t sequences() const override { return uint32_t(chunks_.size()); }
    uint64_t first_step(uint32_t sequence) const override { return header(sequence).first_word; }
    void read(uint32_t sequence, stream::Sequence &into) const override;

    uint64_t steps() const { return steps_; }
    uint64_t bytes() const { return bytes_; } // of its chunks
    // The step in which an event happened; none if that was outside the stream.
    std::optional<uint64_t> step_of(uint64_t event) const;
    // What malloc and its like gave out in the stream, in order. What is in such a block has
    // nothing to do with what was there before; so reallocations in place are left out.
    std::vector<stream::Allocation> allocations() const;
    // How many events there were by the end of a step.
    uint64_t events_by(uint64_t step) const;

  private:
    std::shared_ptr<const stream::Sequence> kept(uint32_t sequence) const;
    void keep(uint32_t sequence, const stream::Sequence &decoded) const;
    const std::vector<EventStep> &event_steps(uint32_t chunk) const;
    const ChunkHeader &header(uint32_t sequence) const { return store_->header(chunks_[sequence]); }

    std::shared_ptr<const Store> store_;
    std::vector<stream::Block> blocks_;
    std::vector<uint32_t> chunks_; // by sequence
    uint64_t steps_ = 0, bytes_ = 0;
    // Of the chunk asked about last: many steps of one are asked about in a row.
    mutable std::optional<uint32_t> asked_;
    mutable std::vector<EventStep> asked_events_;

    // Sequences that were read, as long as there is room.
    static constexpr size_t most_kept = size_t(32) << 20; // bytes
    mutable std::mutex kept_in_use_;
    mutable std::unordered_map<uint32_t, std::shared_ptr<const stream::Sequence>> kept_;
    mutable size_t kept_bytes_ = 0;
};

} // namespace heapstory
