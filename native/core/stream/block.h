// A block of code as it was translated: its bytes, its memory accesses, the ways out of it.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <vector>

namespace heapstory::stream {

// What follows the block when it runs to its end.
enum class Jump : uint8_t { plain, call, ret, system_call, client_request, other };

enum class AccessKind : uint8_t { load, store };

constexpr uint16_t no_word = 0xffff;

// One access to memory. Its address is a word of the execution plus a displacement, so that the
// accesses through one pointer share a word; where there is no word, it is the displacement.
struct Access {
    uint16_t instruction = 0; // which of the block's
    AccessKind kind = AccessKind::load;
    uint32_t size = 0;
    uint16_t word = no_word;
    int64_t displacement = 0;
    uint16_t guard = no_word; // a word that is 0 where the access did not take place
    uint16_t value = no_word; // stores: the first of the words stored, one for each 8 bytes
    int64_t constant = 0;     // stores without such a word: what was stored
};

// A way out before the end.
struct Exit {
    uint16_t instruction = 0; // after which
    uint16_t accesses = 0;    // of the block that have taken place by then
};

struct Block {
    uint64_t address = 0;
    std::vector<uint8_t> code;
    Jump jump = Jump::plain;
    bool own = false;              // the program's own code
    uint16_t words = 0;            // that every execution has
    uint16_t stack_word = no_word; // the word that is the stack pointer on entry
    // An instruction, counted from 1, that stands for a function which the recorder did itself, and
    // the general registers (a bit for each) from which its result in rax comes. 0: none.
    uint16_t stub = 0, stub_uses = 0;
    std::vector<Access> accesses; // in order
    std::vector<Exit> exits;      // in order
};

} // namespace heapstory::stream
