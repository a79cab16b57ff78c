// One execution of a block: which of its instructions and accesses took place, where, with what.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "stream/block.h"
#include "stream/effects.h"
#include "stream/sequence.h"

#include <algorithm>
#include <cstdint>

namespace heapstory::stream {

class Execution {
  public:
    Execution(const Sequence &sequence, uint32_t at, const Block &block)
        : sequence_(sequence), at_(at), block_(block) {}

    uint64_t word(uint16_t i) const { return sequence_.words[sequence_.operand[at_] + i]; }
    uint64_t address(const Access &access) const {
        uint64_t base = access.word == no_word ? 0 : word(access.word);
        return base + uint64_t(access.displacement);
    }
    bool took_place(const Access &access) const {
        return access.guard == no_word || word(access.guard);
    }
    // The first 8 bytes that a store wrote.
    uint64_t value(const Access &access) const {
        uint64_t all = access.value == no_word ? uint64_t(access.constant) : word(access.value);
        return access.size < 8 ? all & ((uint64_t(1) << 8 * access.size) - 1) : all;
    }
    // How many instructions ran, of those that could be decoded.
    unsigned instructions(const Effects &effects) const {
        const auto all = unsigned(effects.instructions.size());
        const uint8_t exit = sequence_.exit[at_];
        if (exit < block_.exits.size())
            return std::min(block_.exits[exit].instruction + 1u, all);
        if (exit == broke_off)
            for (const Fault &fault : sequence_.faults)
                if (fault.step == at_)
                    return std::min<unsigned>(fault.instructions, all);
        return all;
    }
    // Visits what an instruction that ran loaded or stored: the access and its address.
    template <class Visit>
    void each_access(const Effects &effects, unsigned i, AccessKind kind, Visit visit) const {
        unsigned end = effects.last_access(block_, i);
        const uint8_t exit = sequence_.exit[at_];
        if (exit < block_.exits.size())
            end = std::min<unsigned>(end, block_.exits[exit].accesses);
        for (unsigned j = effects.instructions[i].first_access; j < end; ++j) {
            const Access &access = block_.accesses[j];
            if (access.kind == kind && took_place(access))
                visit(access, address(access));
        }
    }

  private:
    const Sequence &sequence_;
    const uint32_t at_;
    const Block &block_;
};

} // namespace heapstory::stream
