// Store records as they lie in the ring, and which of them may be a run.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "format/events/slot.h"

#include <cstdint>
#include <cstring>

namespace heapstory {

constexpr int least_run = 16; // slots: what a run costs beside its values is little then

struct StoreRecord {
    uint64_t first, value; // site << HSW_ADDRESS_BITS | address
};

inline StoreRecord record_at(const uint8_t *at) {
    StoreRecord record;
    std::memcpy(&record, at, sizeof record);
    return record;
}

// A quick look at the record, the next, and the last that a run would have at least: one site, one
// stride.
inline bool may_start_run(const uint8_t *at) {
    constexpr uint64_t longest = page_bytes / least_run;
    uint64_t first = record_at(at).first, stride = record_at(at + 16).first - first;
    return stride + longest <= 2 * longest &&
           record_at(at + 16 * (least_run - 1)).first == first + (least_run - 1) * stride;
}

} // namespace heapstory
