// The registers of a thread, byte by byte, as sets of bits.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <array>
#include <cstdint>

namespace heapstory::stream {

// Where a register's bytes lie in a set:
//
//       0 ..  127   rax rcx rdx rbx rsp rbp rsi rdi r8 .. r15, 8 bytes each
//     128 ..  134   one "byte" each: CF PF AF ZF SF OF DF
//     192 ..  703   ymm0 .. ymm15, 32 bytes each
//     704 ..  767   x87: registers, tags, control and status words, as one
//     768 ..  771   mxcsr
//     776 ..  791   bases of fs and gs
constexpr unsigned general_registers = 0, flag_registers = 128, vector_registers = 192,
                   x87_registers = 704, mxcsr_register = 768, segment_bases = 776;
constexpr unsigned register_bytes = 832;
constexpr unsigned rax = 0, rsp = 4, rbp = 5;

enum class Flag : uint8_t { carry, parity, adjust, zero, sign, overflow, direction };

// One 64-bit word of a set: most instructions touch two or three.
struct RegisterPart {
    uint8_t word = 0;
    uint64_t bits = 0;
};

// 8 bytes of registers, from one on that is a multiple of 8.
constexpr RegisterPart part_of(unsigned first) {
    return {uint8_t(first / 64), uint64_t(0xff) << first % 64};
}

class RegisterSet {
  public:
    static constexpr unsigned words = register_bytes / 64;

    void add(unsigned first, unsigned count) {
        for (unsigned i = first; i < first + count; ++i)
            bits_[i / 64] |= uint64_t(1) << (i % 64);
    }
    // General registers, a bit for each.
    void add_general(unsigned mask) {
        for (unsigned reg = 0; reg < 16; ++reg)
            if (mask >> reg & 1)
                add(general_registers + 8 * reg, 8);
    }
    void remove(unsigned first, unsigned count) {
        for (unsigned i = first; i < first + count; ++i)
            bits_[i / 64] &= ~(uint64_t(1) << (i % 64));
    }
    void add(RegisterPart part) { bits_[part.word] |= part.bits; }
    void remove(RegisterPart part) { bits_[part.word] &= ~part.bits; }
    bool meets(RegisterPart part) const { return bits_[part.word] & part.bits; }
    bool meets(const RegisterSet &other) const {
        uint64_t common = 0;
        for (unsigned i = 0; i < words; ++i)
            common |= bits_[i] & other.bits_[i];
        return common;
    }
    bool has(unsigned byte) const { return bits_[byte / 64] >> (byte % 64) & 1; }
    bool empty() const {
        uint64_t any = 0;
        for (uint64_t word : bits_)
            any |= word;
        return !any;
    }
    void operator|=(const RegisterSet &other) {
        for (unsigned i = 0; i < words; ++i)
            bits_[i] |= other.bits_[i];
    }
    RegisterSet operator&(const RegisterSet &other) const {
        RegisterSet common = *this;
        for (unsigned i = 0; i < words; ++i)
            common.bits_[i] &= other.bits_[i];
        return common;
    }
    bool operator==(const RegisterSet &) const = default;
    uint64_t part(unsigned word) const { return bits_[word]; }

  private:
    std::array<uint64_t, words> bits_{};
};

} // namespace heapstory::stream
