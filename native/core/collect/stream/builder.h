// Gathers the stream into sequences.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "collect/input/records.h"
#include "collect/stream/gathered.h"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace heapstory {

class StreamBuilder {
  public:
    bool empty() const { return now_.sequence.block.empty() && now_.blocks.empty(); }
    bool is_full() const { return now_.sequence.steps() >= sequence_steps; }
    // The step that is under way; 0 as long as there is none.
    uint32_t step() const { return now_.sequence.steps() ? now_.sequence.steps() - 1 : 0; }
    const stream::Block &block(uint32_t id) const;

    // That thread runs, and the next event has that number.
    void begin(uint32_t thread, uint64_t next_event) {
        switch_to(thread);
        now_.first_event = next_event;
    }
    void define(const Record &record, ByteSpan payload);
    // `words` are as many as the block has, at any alignment.
    void executed(uint32_t id, uint8_t exit, const uint8_t *words);
    void faulted(uint64_t instruction);
    void switch_to(uint32_t thread);
    void effect(stream::Effect effect);
    // Memory written by the system call that the thread is in.
    void system_wrote(stream::Range range);
    // The last instruction of the running thread's last block.
    uint64_t last_instruction() const;
    void event(uint64_t number, uint32_t step) { now_.events.push_back({number, step}); }

    // Hands over what was gathered; the next event is that number.
    GatheredSequence take(uint64_t next_event);

  private:
    struct Place { // where a thread is
        uint32_t step = 0, block = 0;
        bool unfinished = false;
    };
    void add_step(uint32_t block, uint8_t exit, size_t operand);
    // The instructions of a block before an address; 0 if none begins there.
    uint16_t instructions_before(uint32_t block, uint64_t address) const;
    void left_at(Place &place, uint64_t address);

    std::vector<stream::Block> blocks_;
    GatheredSequence now_;
    uint32_t thread_ = 1;
    std::unordered_map<uint32_t, Place> places_; // of threads in this sequence
};

} // namespace heapstory
