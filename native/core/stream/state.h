// Where an instruction that saves vector and x87 registers all at once (xsave, fxrstor) puts each,
// or gets it from.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "stream/execution.h"

#include <cstdint>

namespace heapstory::stream {

// Visits 8 bytes of registers after the other: the first of them, and the address in memory. Each
// access of 16 bytes is of a half of a vector register: the lower halves first, then the upper
// ones. A large one is of the x87 registers.
template <class Visit>
void each_of_state(const Execution &execution, const Block &block, const Effects &effects,
                   unsigned i, Visit visit) {
    constexpr uint32_t half = 16, least_x87 = 160, first_x87 = 32;
    unsigned halves = 0;
    for (unsigned j = effects.instructions[i].first_access; j < effects.last_access(block, i);
         ++j) {
        const Access &access = block.accesses[j];
        const bool vector = access.size == half, x87 = access.size >= least_x87;
        const unsigned number = vector ? halves++ : 0;
        if (!(vector || x87) || !execution.took_place(access))
            continue;
        const unsigned first =
            x87 ? x87_registers : vector_registers + 32 * (number % 16) + 16 * (number / 16);
        const uint64_t address = execution.address(access) + (x87 ? first_x87 : 0);
        for (unsigned k = 0; k < (x87 ? 8 : 2); ++k)
            visit(first + 8 * k, address + (x87 ? 16 : 8) * k);
    }
}

} // namespace heapstory::stream
