// What a trace knows of the program's own instructions that ran: their statements, and where the
// variables of their functions are.
// SPDX-License-Identifier: GPL-2.0-or-later
//
// A chunk holds what was met for the first time since the last one. Payload, packed varints; lists
// begin with their length, strings and types are numbers of the tables:
//
//   places        lists of places, innermost first: function, path, line
//   frames        canonical frame addresses: DWARF register, zigzag offset
//   functions     list of variables: name, type, size, scope (list of: low, length), locations
//                 (list of: start + 1 or 0 for everywhere, length, list of: kind, register, zigzag
//                 offset, piece, its size)
//   instructions  in order of address: distance from the one before, list of places, list of
//                 statements begun + 1, frame + 1, function
//
// Functions are counted from 1 over all chunks, the others within theirs.
#pragma once

#include "format/container/bytes.h"
#include "format/program/tables.h"

#include <cstdint>
#include <vector>

namespace heapstory {

struct OwnVariable { // addresses are the program's
    uint32_t name = 0;
    TypeId type = no_type;
    uint64_t size = 0;
    std::vector<CodeRange> scope;
    std::vector<LocationRange> locations;
};

struct OwnInstruction {
    uint64_t address = 0;
    uint32_t places = 0;   // which list of them
    uint32_t begun = 0;    // which list + 1: statements that begin here; 0: none
    uint32_t frame = 0;    // which frame address + 1; 0: unknown
    uint32_t function = 0; // 0: unknown
};

struct OwnCode {
    std::vector<std::vector<PlaceRow>> places;
    std::vector<FrameAddress> frames;
    std::vector<std::vector<OwnVariable>> functions; // the first is number 1
    std::vector<OwnInstruction> instructions;
};

// Of the instructions in any order.
Bytes encode_own_code(OwnCode code);
// Adds a chunk to those before it.
void decode_own_code(ByteSpan payload, OwnCode &into);

// ChunkKind::code: the bytes of code of an own module, at the address in the header's `first_word`.
Bytes encode_code(ByteSpan bytes);
Bytes decode_code(ByteSpan payload);

} // namespace heapstory
