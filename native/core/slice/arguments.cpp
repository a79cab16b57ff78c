// SPDX-License-Identifier: GPL-2.0-or-later
#include "slice/arguments.h"

#include "stream/execution.h"

namespace heapstory::slice {

using stream::RegisterPart;
using stream::RegisterSet;

namespace {

// rdi, rsi, rdx, rcx, r8, r9 and the first eight vector registers.
RegisterSet argument_registers() {
    RegisterSet made;
    made.add_general(1u << 7 | 1u << 6 | 1u << 2 | 1u << 1 | 1u << 8 | 1u << 9);
    made.add(stream::vector_registers, 8 * 32);
    return made;
}

class Setups {
  public:
    // An instruction of the caller, walking back. Whether it sets up an argument.
    bool meet(const stream::Effects &effects, const stream::Instruction &one) {
        bool sets_up = false;
        for (RegisterPart part : effects.definitions(one)) {
            const RegisterPart mine{part.word, part.bits & open_.part(part.word)};
            sets_up |= mine.bits && !used_.meets(mine);
            open_.remove(part);
        }
        for (RegisterPart part : effects.uses(one))
            used_.add(part);
        for (RegisterPart part : effects.address_uses(one))
            used_.add(part);
        return sets_up;
    }
    bool done() const { return open_.empty(); }

  private:
    RegisterSet open_ = argument_registers(); // not defined between here and the call
    RegisterSet used_;
};

} // namespace

std::vector<Point> argument_setups(const Prepared &prepared, const stream::Sequence &sequence,
                                   const Activations &activations, Point call) {
    std::vector<Point> found;
    const auto last = uint32_t(call.step - sequence.first_step);
    const uint64_t activation = activations.of_step[last];
    Setups setups;
    for (uint32_t at = last + 1; at-- > 0 && !setups.done();) {
        if (activations.of_step[at] != activation)
            continue;
        const uint32_t id = sequence.block[at];
        const bool is_call = id && prepared.source().block(id).jump == stream::Jump::call;
        if (!id || (at != last && is_call && sequence.exit[at] == stream::ran_to_end))
            break;
        const stream::Effects &effects = prepared.effects(id);
        const stream::Execution execution(sequence, at, prepared.source().block(id));
        unsigned i = at == last ? call.instruction : execution.instructions(effects);
        while (i-- > 0)
            if (setups.meet(effects, effects.instructions[i]))
                found.push_back({sequence.first_step + at, uint16_t(i)});
    }
    return found;
}

} // namespace heapstory::slice
