// Bytes and bits of a word of memory.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "constraints/plan/plan.h"

#include <cstdint>

namespace heapstory::constraints {

inline uint64_t bytes_mask(uint64_t size) {
    return size >= 8 ? ~uint64_t(0) : (uint64_t(1) << (8 * size)) - 1;
}

inline uint64_t extract(const PlanField &field, uint64_t bytes) {
    if (!field.bit_size)
        return bytes & bytes_mask(field.size);
    return bytes >> field.bit_offset & ((uint64_t(1) << field.bit_size) - 1);
}

inline uint8_t byte_bits(unsigned first, unsigned size) {
    return uint8_t(((1u << size) - 1) << first);
}

// Puts bytes first .. first + size of `value` (its low bytes) into a word.
inline uint64_t merge(uint64_t word, uint64_t value, unsigned first, unsigned size) {
    uint64_t mask = bytes_mask(size) << (8 * first);
    return (word & ~mask) | (value << (8 * first) & mask);
}

} // namespace heapstory::constraints
