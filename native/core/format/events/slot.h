// A slot: the part of one event that falls into one 8-byte word.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>

namespace heapstory {

constexpr uint64_t page_bytes = 4096;
constexpr uint64_t page_words = page_bytes / 8;

constexpr uint8_t whole_word = 0x08;

constexpr uint8_t make_shape(unsigned first_byte, unsigned size) {
    return uint8_t(first_byte << 4 | size);
}
constexpr unsigned shape_first(uint8_t shape) {
    return shape >> 4;
}
constexpr unsigned shape_size(uint8_t shape) {
    return shape & 15;
}
// The bytes of the word that a slot covers, one bit each.
constexpr uint8_t shape_mask(uint8_t shape) {
    return uint8_t(((1u << shape_size(shape)) - 1) << shape_first(shape));
}

struct Slot {
    uint64_t word = 0;  // address / 8
    uint64_t value = 0; // of its bytes, zero-extended
    uint32_t event = 0; // counted from the chunk's first
    uint32_t site = 0;
    uint8_t shape = whole_word;

    // The word's bytes after this slot, given those before.
    uint64_t apply(uint64_t before) const {
        if (shape == whole_word)
            return value;
        unsigned shift = 8 * shape_first(shape), bits = 8 * shape_size(shape);
        uint64_t mask = (bits == 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1) << shift;
        return (before & ~mask) | ((value << shift) & mask);
    }
};

// Site and shape of a slot in one number.
constexpr uint32_t make_writer(uint32_t site, uint8_t shape) {
    return site | uint32_t(shape) << 24;
}
constexpr uint32_t writer_site(uint32_t writer) {
    return writer & 0xffffff;
}
constexpr uint8_t writer_shape(uint32_t writer) {
    return uint8_t(writer >> 24);
}

// A slot with its writer in one number, as the encoder takes it.
struct WrittenSlot {
    uint64_t word = 0, value = 0;
    uint32_t event = 0;
    uint32_t writer = 0;

    WrittenSlot() = default;
    WrittenSlot(uint64_t word, uint64_t value, uint32_t event, uint32_t writer)
        : word(word), value(value), event(event), writer(writer) {}
    WrittenSlot(const Slot &slot)
        : word(slot.word), value(slot.value), event(slot.event),
          writer(make_writer(slot.site, slot.shape)) {}
};

} // namespace heapstory
