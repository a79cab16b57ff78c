// What an x86-64 instruction does to a pointer that was returned. Internal to symbols/.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>

namespace heapstory {

// Register numbers are the processor's: rax rcx rdx rbx rsp rbp rsi rdi r8 ... r15.
struct Instruction {
    enum class Kind : uint8_t {
        unknown, // nothing can be said from here on
        other,   // writes the registers in `written`, and memory if it `stores`
        move,    // to <- from; memory is loaded or, if it `stores`, written
        lea,     // to <- address
        add,     // to <- to + value, register or memory
        test,    // compares `from` or memory with zero
        push,
        pop,
        call, // direct or not: `immediate`
        jump,
        jump_if_zero,
        jump_if_not_zero,
        jump_if_other,
        return_
    } kind = Kind::unknown;
    static constexpr int none = -1, next_address = -2; // in place of a register

    uint8_t length = 0;
    uint16_t written = 0;       // registers, a bit each; not the stack pointer of push, pop, call
    bool immediate = false;     // `value` or `target` stands in the instruction
    int to = none, from = none; // registers
    bool memory = false;        // one operand is in memory:
    bool stores = false;        // and it is written
    int base = none, index = none;
    int scale = 1;
    int64_t displacement = 0;
    int64_t value = 0;
    int64_t target = 0; // of direct calls and jumps, relative to the next instruction
};

Instruction decode_x86(const uint8_t *code, size_t size);

} // namespace heapstory
