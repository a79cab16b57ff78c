// A stretch of the instruction stream, in the order in which things happened.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "stream/registers.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace heapstory::stream {

// Memory or registers changed by something that is no instruction of the program.
enum class EffectKind : uint8_t {
    copy,         // every byte of the target comes from the same byte of the source
    fill,         // the target comes from registers only
    system_call,  // the kernel wrote what it defines; what it read is used
    result,       // of a function that the recorder did itself, as far as it comes from memory
    allocation,   // a block is zero when it is given out
    signal,       // a handler begins: what it defines is known to nobody
    signal_return // and ends: all registers are again as they were before it
};

struct Range {
    uint64_t address = 0, size = 0;
};

// A block of the heap that was given out, in this step.
struct Allocation {
    uint64_t step = 0;
    Range block;
};

struct Effect {
    EffectKind kind = EffectKind::copy;
    uint64_t address = 0; // of the instruction it counts for
    std::vector<Range> defined, used;
    RegisterSet registers_defined, registers_used;
    RegisterSet registers_addressed; // used to say where

    // How much of `used` are values. The rest says where they go: what a copy's target is found by.
    size_t values() const {
        if (kind == EffectKind::fill)
            return 0;
        return kind == EffectKind::copy ? std::min(defined.size(), used.size()) : used.size();
    }
};

// How an execution of a block ended: by its exit of that number, or
constexpr uint8_t ran_to_end = 255, broke_off = 254; // broke_off: a fault, see Sequence::faults

struct Switch {
    uint32_t step = 0; // from which on
    uint32_t thread = 0;
};

struct Fault {
    uint32_t step = 0;
    uint16_t instructions = 0; // completed
};

// Steps are numbered from 0 over the whole stream. A step is the execution of a block, or (block
// 0) an effect.
struct Sequence {
    uint64_t first_step = 0;
    std::vector<uint32_t> block;
    std::vector<uint8_t> exit;
    std::vector<uint32_t> operand; // where a block's words begin; of an effect, its number
    std::vector<uint64_t> words;
    std::vector<Effect> effects;
    std::vector<Switch> switches; // the first at step 0
    std::vector<Fault> faults;

    uint32_t steps() const { return uint32_t(block.size()); }
};

// All of a stream: where a slicer gets blocks and sequences from.
class Source {
  public:
    virtual ~Source() = default;
    virtual uint32_t blocks() const = 0; // ids are 1 .. blocks()
    virtual const struct Block &block(uint32_t id) const = 0;
    virtual uint32_t sequences() const = 0;
    virtual uint64_t first_step(uint32_t sequence) const = 0;
    virtual void read(uint32_t sequence, Sequence &into) const = 0;
};

} // namespace heapstory::stream
