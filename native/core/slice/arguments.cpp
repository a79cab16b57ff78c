// SPDX-License-Identifier: GPL-2.0-or-later
#include "slice/arguments.h"

#include "slice/handed.h"
#include "stream/execution.h"

#include <span>

namespace heapstory::slice {

using stream::RegisterPart;
using stream::RegisterSet;

namespace {

bool is_push(std::span<const uint8_t> code) {
    const size_t prefix = code[0] == 0x41;
    if (code.size() <= prefix)
        return false;
    const uint8_t byte = code[prefix];
    return (byte >= 0x50 && byte <= 0x57) || byte == 0x68 || byte == 0x6a ||
           (byte == 0xff && code.size() > prefix + 1 && (code[prefix + 1] >> 3 & 7) == 6);
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
    const RegisterSet &open() const { return open_; }

  private:
    RegisterSet open_ = argument_registers(); // not defined between here and the call
    RegisterSet used_;
};

} // namespace

Arguments arguments_of(const Prepared &prepared, const stream::Sequence &sequence,
                       const Activations &activations, Point call) {
    Arguments found;
    const auto last = uint32_t(call.step - sequence.first_step);
    const uint64_t activation = activations.of_step[last];
    Setups setups;
    for (uint32_t at = last + 1; at-- > 0;) {
        if (activations.of_step[at] != activation)
            continue;
        const uint32_t id = sequence.block[at];
        const bool is_call = id && prepared.source().block(id).jump == stream::Jump::call;
        if (!id || (at != last && is_call && sequence.exit[at] == stream::ran_to_end))
            break;
        const stream::Effects &effects = prepared.effects(id);
        const stream::Block &block = prepared.source().block(id);
        const stream::Execution execution(sequence, at, block);
        unsigned i = at == last ? call.instruction : execution.instructions(effects);
        while (i-- > 0) {
            const stream::Instruction &one = effects.instructions[i];
            if (one.role != stream::Role::save &&
                is_push(std::span(block.code).subspan(one.address - block.address)))
                execution.each_access(
                    effects, i, stream::AccessKind::store,
                    [&](auto &, uint64_t address) { found.pushed.push_back(address); });
            if (setups.meet(effects, one))
                found.setups.push_back({sequence.first_step + at, uint16_t(i)});
        }
    }
    found.untouched = setups.open();
    return found;
}

} // namespace heapstory::slice
