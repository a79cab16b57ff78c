// A stream made ready for slicing by one pass over it.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "slice/flow_graph.h"
#include "slice/frames.h"
#include "slice/slice.h"
#include "stream/effects.h"
#include "stream/sequence.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace heapstory::slice {

// How far a long pass has come: sequences done, of how many. May throw to end it.
using Progress = std::function<void(uint32_t done, uint32_t of)>;

// From a step on, a file is mapped to an address, or none any longer.
struct FileChange {
    uint64_t step = 0;
    bool is_mapped = false;
    uint64_t address = 0, size = 0;
};

class Prepared {
  public:
    Prepared(const stream::Source &source, const Code &code, const Progress &progress = {});

    const stream::Source &source() const { return source_; }
    const stream::Effects &effects(uint32_t block) const { return effects_[block]; }
    const FlowGraph &graph() const { return *graph_; }
    // Where a block's code lies if the program made it itself: to run any of it is then to use what
    // was stored there. Else empty.
    stream::Range made(uint32_t block) const {
        if (!made_[block])
            return {};
        const stream::Block &code = source_.block(block);
        return {code.address, code.code.size()};
    }
    // What was mapped and unmapped, in order.
    void set_files(std::span<const FileChange> changes);
    // Whether a block ends by going to a function that the loader has looked up just now.
    bool ends_lookup(uint32_t block) const { return ends_lookup_[block]; }
    // The activations of a sequence's steps.
    void follow(uint32_t number, const stream::Sequence &sequence, Activations &into) const {
        Frames frames = before_[number];
        into.open_calls = graph_->open_calls();
        frames.follow(sequence, source_, into, nullptr);
    }
    uint64_t steps() const { return steps_; }
    uint64_t instructions() const { return instructions_; }
    // The point behind everything.
    Point end() const { return {steps_ ? steps_ - 1 : 0, 0xffff}; }
    // The sequence that holds a step.
    uint32_t sequence_of(uint64_t step) const;

  private:
    void count_instructions(const stream::Sequence &sequence, const std::vector<uint32_t> &whole);
    void note_first_runs(const stream::Sequence &sequence);
    void find_lookups();

    const stream::Source &source_;
    std::vector<stream::Effects> effects_;
    std::vector<Frames> before_; // as of the start of each sequence
    std::unique_ptr<FlowGraph> graph_;
    std::vector<uint64_t> first_run_;      // by block: the step after it; 0: none
    std::vector<bool> ends_lookup_, made_; // by block
    uint64_t steps_ = 0, instructions_ = 0;
};

} // namespace heapstory::slice
