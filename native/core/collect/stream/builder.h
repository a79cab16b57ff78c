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
    StreamBuilder() { make_room(); }

    // What is asked of a block whenever it runs.
    struct Brief {
        uint32_t first_exit = 0; // among the exits of all blocks
        uint16_t words = 0, instructions = 0;
        uint8_t exits = 0;
        // Whether the recorder, if there were no stream, would take a call back that a return of
        // this block ends, and not even say so.
        bool returns_unsaid = false;
        // Of the record of an execution.
        size_t record_length() const { return (8 + 8 * size_t(words) + 15) & ~size_t(15); }
    };
    const Brief &brief(uint32_t id) const {
        if (id - 1 >= briefs_.size()) [[unlikely]]
            fail_unknown();
        return briefs_[id - 1];
    }

    bool is_empty() const { return count_ == 0; }
    bool is_full() const { return count_ >= sequence_steps; }
    uint64_t steps() const { return now_.sequence.first_step + count_; }
    uint64_t first_step() const { return now_.sequence.first_step; } // of the present sequence
    uint64_t instructions() const { return now_.first_instruction + now_.instructions; }
    // The step that is under way; 0 as long as there is none.
    uint32_t step() const { return count_ ? count_ - 1 : 0; }
    const stream::Block &block(uint32_t id) const { return known(id).block; }

    // That thread runs, and the next event has that number.
    void begin(uint32_t thread, uint64_t next_event) {
        switch_to(thread);
        now_.first_event = next_event;
    }
    // `is_kept`: it runs in the stream, and belongs into the trace.
    void define(const Record &record, ByteSpan payload, bool is_kept);
    // `words` are as many as the block has, at any alignment.
    void executed(uint32_t id, uint8_t exit, const uint8_t *words);
    // Records of executions that follow one another, up to one that is not simple: unfinished, of
    // an unknown block, or with `beware_returns` a return that may take back a call; or that the
    // sequence has no room for. Returns where.
    const uint8_t *take_executions(const uint8_t *at, const uint8_t *end, bool beware_returns);
    // The thread's next block is this one: a block that the tool left was left there.
    void goes_on(uint32_t id);
    void faulted(uint64_t instruction);
    void switch_to(uint32_t thread);
    void add_effect(stream::Effect effect);
    // The same of memory copied or filled by what the thread's last block ends with.
    void moved(stream::Effect effect);
    // Memory read and written by the system call that the thread is in; its end.
    void system_read(stream::Range range) { place_->call.used.push_back(range); }
    void system_wrote(stream::Range range) { place_->call.defined.push_back(range); }
    void system_call(unsigned registers_read);
    // What does something else than it says: the stub of the running thread's last block, or the
    // last instruction.
    uint64_t instruction() const;
    void event(uint64_t number, uint32_t step) { now_.events.push_back({number, step}); }

    // Hands over what was gathered; the next event is that number.
    GatheredSequence take(uint64_t next_event);

  private:
    static constexpr uint32_t gone = ~uint32_t(0); // in an earlier sequence
    struct Place {                                 // where a thread is
        uint32_t step = gone, block = 0;
        bool unfinished = false;
        stream::Effect call; // the system call under way
    };
    // A block, and where its instructions begin.
    struct Known {
        stream::Block block;
        std::vector<uint16_t> starts;
        stream::RegisterSet where, what; // of a stub
        uint64_t effective() const;
        bool ends_in_repeat() const;
        // The instructions before an address; 0 if none begins there.
        uint16_t before(uint64_t address) const;
    };
    [[noreturn]] static void fail_unknown();
    const Known &known(uint32_t id) const {
        if (id - 1 >= blocks_.size()) [[unlikely]]
            fail_unknown();
        return blocks_[id - 1];
    }
    // How many instructions ran, of an execution that is finished.
    uint32_t ran(const Brief &brief, uint8_t exit) const {
        return exit < brief.exits ? exits_[brief.first_exit + exit] : brief.instructions;
    }
    void make_room();
    const Known *running() const; // the thread's last block
    void add_step(uint32_t block, uint8_t exit, size_t operand);
    void left_at(Place &place, uint64_t address);
    void reopen(Place &place, uint64_t instruction);

    std::vector<Known> blocks_;
    std::vector<Brief> briefs_;   // of the same
    std::vector<uint16_t> exits_; // block by block: instructions up to each
    // The packer gives them back.
    std::shared_ptr<Spares<stream::Sequence>> spares_ =
        std::make_shared<Spares<stream::Sequence>>();
    GatheredSequence now_;
    // Steps and words of the sequence, which has room for more.
    uint32_t count_ = 0;
    size_t words_ = 0;
    uint32_t thread_ = 1;
    std::unordered_map<uint32_t, Place> places_;
    Place *place_ = &places_[thread_]; // of the thread that runs; places stay where they are
};

} // namespace heapstory
