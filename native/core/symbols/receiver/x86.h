// Decodes the few x86-64 instructions that move a returned pointer about. Internal to symbols/.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>

namespace heapstory {

// Register numbers are the processor's: rax rcx rdx rbx rsp rbp rsi rdi r8 ... r15.
struct Instruction {
    enum class Kind : uint8_t {
        unknown, // not decoded: nothing can be said from here on
        other,   // writes no general register (or only `reg` if writes_reg, `rm` if writes_rm)
        move,    // reg <- rm or memory (load), rm or memory <- reg (if to_rm)
        lea,     // reg <- address
        add,     // the destination plus a register or immediate
        test,    // compares rm or memory with itself or zero
        push,
        pop,
        call, // target 0: indirect
        jump,
        jump_if_zero,
        jump_if_not_zero,
        jump_if_other,
        return_
    } kind = Kind::unknown;
    uint8_t length = 0;
    bool wide = false; // 64-bit operands
    bool memory = false, to_rm = false, immediate = false;
    bool writes_reg = false, writes_rm = false;
    int reg = -1, rm = -1;
    int base = -1, index = -1; // base -2: the next instruction's address
    int scale = 1;
    int64_t displacement = 0, value = 0;
    int64_t target = 0; // of calls and jumps, relative to the next instruction
};

Instruction decode_x86(const uint8_t *code, size_t size);

} // namespace heapstory
