// Stores as the trace keeps them: slots sorted by address, then by time, in small segments.
// SPDX-License-Identifier: GPL-2.0-or-later
//
// A slot is the part of one event that falls into one 8-byte word. Sorting by word puts all
// versions of a field side by side, so that looking one up decodes a few thousand slots, and so
// that a value is predicted from the one it replaced. A segment is encoded on its own, as columns:
//
//   words     per new word: distance from the previous word (varint)
//   control   per slot: bit 0 new word | 1 other site | 2 other shape | 3-5 value length |
//             6-7 event length - 1
//   events    1-4 bytes: distance from the word's previous slot; for a new word zigzag distance
//             from the previous word's first slot
//   sites     3 bytes where it differs from the word's previous slot (new word: from the previous
//             word's first)
//   shapes    1 byte where it differs: first byte in the word << 4 | number of bytes
//   values    0-6 bytes: zigzag difference from the word's previous slot (new word: from the
//             previous word's first)
//   wide      8 bytes: the value itself where the difference is longer (text, mostly)
#pragma once

#include "format/bytes.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <vector>

namespace heapstory {

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

struct SlotSegment {
    uint64_t first_word = 0, last_word = 0;
    uint32_t slots = 0;
    uint32_t offset = 0;       // in the chunk's slot section
    uint32_t words_length = 0; // packed words column; the others follow
    uint32_t length = 0;       // of all columns
};
static_assert(sizeof(SlotSegment) == 32);

class SlotEncoder {
  public:
    std::vector<SlotSegment> segments;
    ByteWriter out; // the slot section

    explicit SlotEncoder(uint32_t segment_slots = 8192) : segment_slots_(segment_slots) {}
    void clear();
    // Slots must come sorted by word, then by event; `get(i)` returns the i-th.
    template <class Get> void add_sorted(size_t count, Get get) {
        for (size_t i = 0; i < count;) {
            if (!open_)
                begin_segment(get(i).word);
            i = encode_run(i, count, get);
        }
    }
    void add(const Slot &slot) {
        add_sorted(1, [&](size_t) { return slot; });
    }
    void finish() {
        if (open_)
            finish_segment();
    }

  private:
    void begin_segment(uint64_t word);
    void finish_segment();
    void grow();
    template <class Get> size_t encode_run(size_t i, size_t count, Get get);
    static uint8_t *put(uint8_t *at, uint64_t value, unsigned size) {
        std::memcpy(at, &value, 8); // the columns have room: see grow
        return at + size;
    }
    static uint8_t *put_varint(uint8_t *at, uint64_t value) {
        while (value >= 0x80) {
            *at++ = uint8_t(value) | 0x80;
            value >>= 7;
        }
        *at++ = uint8_t(value);
        return at;
    }

    uint32_t segment_slots_;
    bool open_ = false;
    uint32_t count_ = 0;
    uint32_t capacity_ = 0;
    Slot last_, first_;
    uint64_t first_word_ = 0;
    Bytes control_, words_, events_, sites_, shapes_, values_, wide_;
    struct Ends { // of the columns
        uint8_t *control = nullptr, *words = nullptr, *events = nullptr, *sites = nullptr,
                *shapes = nullptr, *values = nullptr, *wide = nullptr;
    };
    Ends ends_;
};

constexpr unsigned wide_value = 7; // the class of values that are kept whole

inline unsigned value_class(uint64_t difference) { // its bytes, up to wide_value
    return std::min<unsigned>((71 - unsigned(std::countl_zero(difference))) >> 3, wide_value);
}

// Encodes until the segment is full or the slots are. The state is held in locals meanwhile: bytes
// written through pointers might otherwise be the state itself, for all the compiler knows.
template <class Get> size_t SlotEncoder::encode_run(size_t i, size_t count, Get get) {
    Ends at = ends_;
    Slot last = last_, first = first_;
    uint32_t n = count_;
    bool full = false;
    for (; i < count; ++i) {
        const Slot slot = get(i);
        bool new_word = slot.word != last.word || n == 0;
        full = new_word && n >= segment_slots_;
        if (full || n == capacity_)
            break;
        uint32_t event;
        if (new_word) {
            at.words = put_varint(at.words, slot.word - last.word);
            event = uint32_t(zigzag(int32_t(slot.event - first.event)));
            last = first;
            first = slot;
        } else {
            event = slot.event - last.event;
        }
        unsigned other_site = slot.site != last.site;
        at.sites = put(at.sites, slot.site, 3 * other_site);
        unsigned other_shape = slot.shape != last.shape;
        *at.shapes = slot.shape;
        at.shapes += other_shape;
        uint64_t difference = zigzag(int64_t(slot.value - last.value));
        unsigned length = value_class(difference);
        bool is_wide = length == wide_value;
        at.values = put(at.values, difference, is_wide ? 0 : length);
        at.wide = put(at.wide, slot.value, is_wide ? 8 : 0);
        unsigned event_length = (39 - unsigned(std::countl_zero(event | 1))) >> 3;
        at.events = put(at.events, event, event_length);
        *at.control++ = uint8_t(unsigned(new_word) | other_site << 1 | other_shape << 2 |
                                length << 3 | (event_length - 1) << 6);
        last = slot;
        ++n;
    }
    ends_ = at;
    last_ = last;
    first_ = first;
    count_ = n;
    if (full) {
        finish_segment();
    } else if (n == capacity_) {
        capacity_ *= 2;
        grow();
    }
    return i;
}

// All slots of a segment, in order.
void decode_segment(const SlotSegment &segment, ByteSpan slot_section, std::vector<Slot> &slots);

// The words of a segment, ascending: reads the words column only.
void segment_words(const SlotSegment &segment, ByteSpan slot_section, std::vector<uint64_t> &words);

} // namespace heapstory
