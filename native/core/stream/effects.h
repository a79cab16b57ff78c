// What the instructions of a block define and use.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "stream/block.h"
#include "stream/registers.h"

#include <cstdint>
#include <span>
#include <vector>

namespace heapstory::stream {

// How a slice treats an instruction besides what it defines and uses.
enum class Role : uint8_t {
    plain,
    save,          // pushes or stores a register that a function must preserve
    restore,       // and gets it back: both stand for nothing but the calling convention
    frame,         // makes the frame pointer from the stack pointer
    save_state,    // stores all vector registers (see state.h)
    restore_state, // and gets them back, as the loader does before it goes to a function
    link,          // goes where a word of a module says, which the loader may have filled in
    resolve        // the same into the loader, which looks up a function and goes there
};

enum class Branch : uint8_t { none, conditional, jump, indirect, call, ret };

struct Instruction {
    uint64_t address = 0;
    uint64_t target = 0; // of a branch, where the code says so
    uint8_t length = 0;
    Branch branch = Branch::none;
    Role role = Role::plain;
    uint8_t saved = 0;         // the register of a save or restore
    uint16_t first_access = 0; // of the block's; they end where the next instruction's begin
    // Parts: definitions, uses, and uses by which an address is computed, one behind the other.
    uint32_t defined = 0, used = 0, addressed = 0, end = 0;
};

// A definition that may leave something of what was there before (a conditional move, the low part
// of a vector) is a use of it as well. The stack pointer is no register here: what it holds follows
// from calls and returns, and every access to the stack would depend on all of them.
struct Effects {
    std::vector<Instruction> instructions;
    std::vector<RegisterPart> parts;
    RegisterSet defined; // by any of them

    std::span<const RegisterPart> definitions(const Instruction &i) const {
        return {parts.data() + i.defined, i.used - i.defined};
    }
    std::span<const RegisterPart> uses(const Instruction &i) const {
        return {parts.data() + i.used, i.addressed - i.used};
    }
    std::span<const RegisterPart> address_uses(const Instruction &i) const {
        return {parts.data() + i.addressed, i.end - i.addressed};
    }
    // The first access that is not of instruction `i`.
    uint16_t last_access(const Block &block, size_t i) const {
        return i + 1 < instructions.size() ? instructions[i + 1].first_access
                                           : uint16_t(block.accesses.size());
    }
};

// Where control may go after the instruction at the head of some code.
struct Flow {
    uint8_t length = 0; // 0: no instruction
    Branch branch = Branch::none;
    uint64_t target = 0;
};
Flow flow_of(std::span<const uint8_t> code, uint64_t address);

// Whether a block ends with a jump to where an entry of a table says, as switches do.
bool jumps_by_table(const Block &block);

// Decodes a block. Code that cannot be decoded ends it: what it does is then known by its accesses
// alone.
Effects effects_of(const Block &block);

} // namespace heapstory::stream
