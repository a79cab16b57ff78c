// A stretch of the stream on its way from the builder to the packer.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "format/stream/sequences.h"
#include "format/stream/windows.h"
#include "stream/block.h"
#include "stream/sequence.h"

#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace heapstory {

// Sequences whose memory is used again: to ask for it anew and to clear it takes as long as to fill
// it. The builder takes them, the packer, on another thread, gives them back.
class SpareSequences {
  public:
    stream::Sequence take() {
        std::lock_guard lock(mutex_);
        if (spare_.empty())
            return {};
        stream::Sequence last = std::move(spare_.back());
        spare_.pop_back();
        return last;
    }
    void give(stream::Sequence &&sequence) {
        sequence.effects.clear();
        sequence.switches.clear();
        sequence.faults.clear();
        std::lock_guard lock(mutex_);
        spare_.push_back(std::move(sequence));
    }

  private:
    std::mutex mutex_;
    std::vector<stream::Sequence> spare_;
};

struct GatheredSequence {
    std::shared_ptr<SpareSequences> spares; // to which the sequence goes back
    std::vector<stream::Block> blocks;      // met for the first time
    std::vector<uint64_t> instructions_met; // of the program's own among them
    stream::Sequence sequence;
    uint64_t first_instruction = 0; // how many ran before
    uint32_t instructions = 0;
    uint64_t first_event = 0; // the next event's number at its first step
    std::vector<EventStep> events;
};

} // namespace heapstory
