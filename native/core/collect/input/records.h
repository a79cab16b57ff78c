// The recorder's stream as records with their payloads (see heapstory_wire.h).
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "format/container/bytes.h"

#include <cstdint>
#include <optional>
#include <string>

namespace heapstory {

struct Record {
    uint32_t tag = 0;
    uint64_t address = 0, value = 0;

    // Many records keep a length in their value, and what kind they are above it.
    uint64_t length() const { return value & ((uint64_t(1) << 56) - 1); }
    unsigned kind() const { return unsigned(value >> 56); }
};

struct Payload {
    ByteSpan bytes;
    uint64_t end_value = 0; // of the HSW_END record

    // Up to the NUL that ends it, from `offset` on.
    std::string text(size_t offset = 0) const;
};

// Takes the payload of `record` from `at` on, which it moves behind it; an empty one for records
// without. None where the stream is cut off inside it.
std::optional<Payload> take_payload(const Record &record, const uint8_t *&at, const uint8_t *end);

} // namespace heapstory
