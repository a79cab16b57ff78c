// The frame around everything in a trace file.
// SPDX-License-Identifier: GPL-2.0-or-later
//
//   +------------------------------ header, 72 bytes --------------------------------+---------+
//   | magic kind version sequence header-crc | length payload-crc | first event, ... | payload |
//   +--------------------------------------------------------------------------------+---------+
//
// A file is a run of such chunks, each padded to 8 bytes. A reader follows the headers; where a
// header or a length does not fit, the file ends there. Payload checksums are checked when a chunk
// is first used, so that opening costs one small read per chunk. The head of a payload, its first
// part, may have a checksum of its own: it can be used without reading the rest.
#pragma once

#include "format/container/bytes.h"

#include <cstdint>
#include <string>

namespace heapstory {

constexpr uint16_t format_version = 9;
constexpr uint16_t oldest_version = 6;       // that is read as well
constexpr uint32_t chunk_magic = 0x4b435348; // "HSCK"

enum class ChunkKind : uint16_t {
    events = 1,      // what happened: see events.h
    tables = 2,      // sites, stacks, modules, ... defined since the last one: see tables.h
    symbols = 3,     // names, lines and types for them: see tables.h
    source = 4,      // source text
    keyframe = 5,    // a part of all live words at one moment: see keyframe.h
    nodes = 6,       // all nodes, written at close: see nodes.h
    words = 7,       // which chunks hold which word, written at close: see word_index.h
    end = 8,         // the last chunk of a closed trace
    discoveries = 9, // what is found without knowing the allocator: see discoveries.h
    blocks = 10,     // blocks of code defined since the last one: see format/stream/blocks.h
    stream = 11,     // a stretch of the instruction stream: see format/stream/sequences.h
    window = 12,     // a part of the run that has one: see format/stream/windows.h
    own_code = 13,   // statements and variables of own instructions in it: see own_code.h
    code = 14        // the bytes of an own module's code: see own_code.h
};

struct ChunkHeader {
    uint32_t magic = chunk_magic;
    uint16_t kind = 0;
    uint16_t version = format_version;
    uint32_t sequence = 0;
    uint32_t header_crc = 0; // of this header with the field zero
    uint64_t length = 0;     // of the payload, without padding
    uint32_t payload_crc = 0;
    uint32_t events = 0; // events chunk: number of events; keyframe: which part it is, from 0
    uint64_t first_event = 0;
    uint64_t first_timestamp = 0; // timestamp before the first event; stream: see there
    uint32_t changes = 0;         // events chunk: by how much the timestamp advances
    uint32_t slots = 0;           // keyframe: number of its parts
    uint64_t first_word = 0;      // keyframe: of this part; blocks, stream: see there
    uint32_t head_length = 0;     // of the payload; 0: it has no head
    uint32_t head_crc = 0;
};
static_assert(sizeof(ChunkHeader) == 72);

uint32_t crc32c(ByteSpan data);

// Fills in length and checksums, and returns header and padded payload ready to be written.
Bytes frame(ChunkHeader header, ByteSpan payload);

// Whether this is a whole header that reading can go on from.
bool is_valid(const ChunkHeader &header);

constexpr uint64_t padded(uint64_t length) {
    return (length + 7) & ~uint64_t(7);
}

// One compressed column: raw size, stored size, bytes (raw where compression does not help).
// Looking for repetitions takes most of the time: `long_ones` passes over most places, and `rare`
// looks for next to none and leaves it at short codes for frequent bytes.
enum class Repetitions { usual, long_ones, rare };
void pack(ByteWriter &out, ByteSpan data, Repetitions repetitions = Repetitions::usual);

// Packs columns of one kind, one after the other: finds out now and then whether repetitions are
// worth looking for in them.
class ColumnPacker {
  public:
    void pack(ByteWriter &out, ByteSpan data);

  private:
    void choose(ByteWriter &out, ByteSpan data);

    unsigned until_trial_ = 0;
    Repetitions repetitions_ = Repetitions::usual;
};

Bytes unpack(ByteReader &in);
void skip_packed(ByteReader &in);
// As unpack, into a buffer with `slack` readable bytes after the end.
void unpack_into(ByteReader &in, Bytes &out, size_t slack);

} // namespace heapstory
