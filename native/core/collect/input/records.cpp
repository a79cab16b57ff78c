// SPDX-License-Identifier: GPL-2.0-or-later
#include "collect/input/records.h"

#include "heapstory_wire.h"

#include <cstring>

namespace heapstory {

namespace {

constexpr uint64_t cut = ~uint64_t(0);

// Bytes of a NUL-terminated text that starts after `before` bytes, these and the NUL included.
uint64_t text_length(const uint8_t *at, const uint8_t *end, uint64_t before) {
    if (uint64_t(end - at) < before)
        return cut;
    const void *stop = std::memchr(at + before, 0, size_t(end - at) - before);
    return stop ? uint64_t(static_cast<const uint8_t *>(stop) - at) + 1 : cut;
}

// How long each record's payload is; 0 for none, `cut` where that cannot be told any more.
uint64_t payload_length(const Record &record, const uint8_t *at, const uint8_t *end) {
    switch (record.tag) {
    case HSW_RANGE:
        if ((record.kind() & ~unsigned(HSW_RANGE_MORE)) == HSW_RANGE_FILL)
            return 0;
        return record.length();
    case HSW_SCAN:
    case HSW_STACK:
    case HSW_BLOCK:
    case HSW_EXECVE:
    case HSW_ERROR:
    case HSW_HOLDS:
        return record.length();
    case HSW_CPOINT:
    case HSW_ROOT:
    case HSW_FILE_MAPPED:
        return text_length(at, end, 0);
    case HSW_MAP:
        return text_length(at, end, sizeof(hsw_map));
    default:
        return 0;
    }
}

} // namespace

std::string Payload::text(size_t offset) const {
    const uint8_t *from = bytes.data() + offset;
    const void *stop = std::memchr(from, 0, bytes.size() - offset);
    return {reinterpret_cast<const char *>(from),
            stop ? static_cast<const char *>(stop)
                 : reinterpret_cast<const char *>(bytes.data() + bytes.size())};
}

std::optional<Payload> take_payload(const Record &record, const uint8_t *&at, const uint8_t *end) {
    uint64_t length = payload_length(record, at, end);
    if (!length)
        return Payload{};
    uint64_t whole = (length + 15) & ~uint64_t(15);
    if (length == cut || whole + 16 > uint64_t(end - at))
        return std::nullopt;
    Payload payload;
    payload.bytes = {at, size_t(length)};
    std::memcpy(&payload.end_value, at + whole + 8, 8);
    at += whole + 16;
    return payload;
}

} // namespace heapstory
