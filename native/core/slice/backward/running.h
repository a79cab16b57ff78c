// A block that ran, and where in it a walk back is.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "slice/flow_graph.h"
#include "slice/prepared.h"
#include "stream/execution.h"

#include <cstdint>
#include <span>

namespace heapstory::slice {

struct Running {
    Running(const Prepared &prepared, const stream::Sequence &sequence, uint32_t at, uint32_t id)
        : step(sequence.first_step + at), id(id), block(prepared.source().block(id)),
          effects(prepared.effects(id)), execution(sequence, at, block),
          ran(execution.instructions(effects)), parts(prepared.graph().parts(id)) {}

    const uint64_t step;
    const uint32_t id;
    const stream::Block &block;
    const stream::Effects &effects;
    const stream::Execution execution;
    const unsigned ran;               // instructions
    std::span<const BlockPart> parts; // the last one is that of the present instruction

    const stream::Instruction &instruction(unsigned i) const { return effects.instructions[i]; }
    uint32_t node() const { return parts.back().node; }
    // Makes an instruction before the present one the present one.
    void go_to(unsigned i) {
        while (parts.size() > 1 && i < parts[parts.size() - 2].end)
            parts = parts.first(parts.size() - 1);
    }
    bool ends_part(unsigned i) const { return parts.back().end == i + 1; }
    template <class Visit>
    void each_access(unsigned i, stream::AccessKind kind, Visit visit) const {
        execution.each_access(effects, i, kind, visit);
    }
};

} // namespace heapstory::slice
