// SPDX-License-Identifier: GPL-2.0-or-later
#include "slice/prepared.h"

#include <algorithm>

namespace heapstory::slice {

unsigned instructions_of(const stream::Sequence &sequence, uint32_t at, const stream::Block &block,
                         const stream::Effects &effects) {
    const auto all = unsigned(effects.instructions.size()); // that could be decoded
    uint8_t exit = sequence.exit[at];
    if (exit < block.exits.size())
        return std::min(block.exits[exit].instruction + 1u, all);
    if (exit == stream::broke_off)
        for (const stream::Fault &fault : sequence.faults)
            if (fault.step == at)
                return std::min<unsigned>(fault.instructions, all);
    return all;
}

Prepared::Prepared(const stream::Source &source, const Code &code, const Progress &progress)
    : source_(source), effects_(1) {
    for (uint32_t id = 1; id <= source.blocks(); ++id)
        effects_.push_back(stream::effects_of(source.block(id)));
    Frames frames;
    Transitions transitions;
    stream::Sequence sequence;
    Activations activations;
    for (uint32_t number = 0; number < source.sequences(); ++number) {
        if (progress)
            progress(number, source.sequences());
        source.read(number, sequence);
        before_.push_back(frames);
        frames.follow(sequence, source, activations, &transitions);
        steps_ += sequence.steps();
        for (uint32_t at = 0; at < sequence.steps(); ++at)
            if (uint32_t id = sequence.block[at])
                instructions_ += instructions_of(sequence, at, source.block(id), effects_[id]);
    }
    frames.finish(transitions);
    graph_ = std::make_unique<FlowGraph>(source, effects_, transitions, code);
}

uint32_t Prepared::sequence_of(uint64_t step) const {
    uint32_t low = 0, high = source_.sequences();
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        (source_.first_step(middle) <= step ? low : high) = middle;
    }
    return low;
}

} // namespace heapstory::slice
