// Follows the result of a call through registers and plain jumps to a store.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "symbols/results.h"

#include "symbols/receiver/x86.h"

namespace heapstory {

namespace {

using Kind = Instruction::Kind;

constexpr int result = 0; // rax
constexpr int most_steps = 64;

uint16_t bit(int number) {
    return number < 0 ? 0 : uint16_t(1u << number);
}

// The instructions of a function, in order of address.
class Code {
  public:
    Code(ElfFile &file, const ElfFile::Function &function)
        : begin_(function.address), bytes_(file.bytes(function.address, function.size)) {}

    std::optional<Instruction> at(uint64_t address) const {
        if (address - begin_ >= bytes_.size())
            return {};
        size_t offset = address - begin_;
        Instruction found = decode_x86(&bytes_[offset], bytes_.size() - offset);
        return found.length ? std::optional(found) : std::nullopt;
    }

    // What comes behind the instruction that holds an address.
    uint64_t behind(uint64_t address) const {
        uint64_t next = begin_;
        while (next <= address) {
            auto instruction = at(next);
            if (!instruction)
                return 0;
            next += instruction->length;
        }
        return next;
    }

  private:
    uint64_t begin_;
    std::vector<uint8_t> bytes_;
};

} // namespace

bool stores_result(ElfFile &file, uint64_t call, uint64_t store) {
    auto function = file.function(call);
    if (!function)
        return false;
    Code code(file, *function);
    uint64_t next = code.behind(call);
    uint16_t holders = bit(result); // registers
    for (int step = 0; next && step < most_steps; ++step) {
        auto instruction = code.at(next);
        if (!instruction)
            return false;
        uint64_t at = next;
        next += instruction->length;
        bool moves = instruction->kind == Kind::move && (holders & bit(instruction->from));
        if (at <= store && store < next)
            return moves && instruction->stores;
        switch (instruction->kind) {
        case Kind::jump:
            if (!instruction->immediate)
                return false;
            next += uint64_t(instruction->target);
            break;
        case Kind::move:
        case Kind::lea:
        case Kind::add:
        case Kind::other:
        case Kind::test:
        case Kind::push:
        case Kind::pop:
            holders &= uint16_t(~(instruction->written | bit(instruction->to)));
            if (moves && !instruction->memory)
                holders |= bit(instruction->to);
            break;
        default:
            return false;
        }
    }
    return false;
}

} // namespace heapstory
