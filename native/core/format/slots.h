// Stores as the trace keeps them: slots sorted by address, then by time, in small segments.
// SPDX-License-Identifier: GPL-2.0-or-later
//
// A slot is the part of one event that falls into one 8-byte word. Sorting by word puts all
// versions of a field side by side, so that looking one up decodes a few thousand slots, and so
// that a value is predicted from the one it replaced. A segment is encoded on its own, as columns:
//
//   words     per new word: distance from the previous word (varint)
//   control   per slot: bit 0 new word | 1 writer not as predicted | 2-4 value length |
//             5-6 event length - 1
//   events    1-4 bytes: distance from the word's previous slot; for a new word zigzag distance
//             from the previous word's first slot
//   writers   4 bytes where not as predicted: site | first byte in the word << 28 | bytes << 24
//   values    0-6 bytes: zigzag difference from the word's previous slot (new word: from the
//             previous word's first)
//   wide      8 bytes: the value itself where the difference is longer (text, mostly)
//
// The writer is predicted to be the one that followed the same writer the last time.
#pragma once

#include "format/chunk.h"

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

// Which writer followed which, separately within a word and from one word to the next.
class WriterPrediction {
  public:
    // What is expected after `before`, to be replaced by what came. None yet: the same again.
    uint32_t &after(uint32_t before, bool new_word) {
        uint32_t &next = next_[(before * 0x9e3779b1u) >> 24 | uint32_t(new_word) << 8];
        if (!next)
            next = before;
        return next;
    }

  private:
    uint32_t next_[512] = {};
};

constexpr unsigned wide_value = 7; // the class of values that are kept whole

inline unsigned value_class(uint64_t difference) { // its bytes, up to wide_value
    return std::min<unsigned>((71 - unsigned(std::countl_zero(difference))) >> 3, wide_value);
}

class SlotEncoder {
  public:
    std::vector<SlotSegment> segments;
    ByteWriter out; // the slot section

    explicit SlotEncoder(uint32_t segment_slots = 8192) : segment_slots_(segment_slots) {}

    // All slots of a chunk. `slots[i]` is the i-th by word, then by event; `last(slot)` is called
    // with the last of every word.
    template <class Slots, class Last> void encode(size_t count, const Slots &slots, Last last) {
        segments.clear();
        out.bytes.clear();
        make_room(count);
        for (size_t i = 0; i < count;)
            i = encode_segment(i, count, slots, last);
    }
    void encode(const std::vector<Slot> &slots) {
        encode(slots.size(), slots, [](const WrittenSlot &) {});
    }

  private:
    struct Ends { // of the columns
        uint8_t *control = nullptr, *words = nullptr, *events = nullptr, *writers = nullptr,
                *values = nullptr, *wide = nullptr;
    };

    void make_room(size_t slots);
    template <class Slots, class Last>
    size_t encode_segment(size_t i, size_t count, const Slots &slots, Last last);
    void finish_segment(const SlotSegment &segment, const Ends &ends);

    static uint8_t *put(uint8_t *at, uint64_t value, unsigned size) {
        std::memcpy(at, &value, 8); // the columns have room: see make_room
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
    static void put_slot(Ends &at, unsigned new_word, uint32_t event, const WrittenSlot &slot,
                         uint64_t value_before, uint32_t &expected) {
        unsigned surprise = slot.writer != expected;
        expected = slot.writer;
        at.writers = put(at.writers, slot.writer, 4 * surprise);
        uint64_t difference = zigzag(int64_t(slot.value - value_before));
        unsigned length = value_class(difference);
        bool is_wide = length == wide_value;
        at.values = put(at.values, difference, is_wide ? 0 : length);
        at.wide = put(at.wide, slot.value, is_wide ? 8 : 0);
        unsigned event_length = (39 - unsigned(std::countl_zero(event | 1))) >> 3;
        at.events = put(at.events, event, event_length);
        *at.control++ = uint8_t(new_word | surprise << 1 | length << 2 | (event_length - 1) << 5);
    }

    uint32_t segment_slots_;
    size_t capacity_ = 0;
    Bytes control_, words_, events_, writers_, values_, wide_;
    ColumnPacker events_packer_, values_packer_; // others are known to repeat themselves
};

// A word with very many versions keeps its segment open beyond segment_slots.
template <class Slots, class Last>
size_t SlotEncoder::encode_segment(size_t i, size_t count, const Slots &slots, Last last) {
    const size_t begin = i;
    Ends at{control_.data(), words_.data(),  events_.data(),
            writers_.data(), values_.data(), wide_.data()};
    WriterPrediction prediction;
    WrittenSlot slot = slots[i], first;
    SlotSegment segment;
    segment.first_word = segment.last_word = slot.word;
    for (bool more = true; more;) {
        at.words = put_varint(at.words, slot.word - segment.last_word);
        segment.last_word = slot.word;
        put_slot(at, 1, uint32_t(zigzag(int32_t(slot.event - first.event))), slot, first.value,
                 prediction.after(first.writer, true));
        first = slot;
        for (more = false; ++i < count;) {
            WrittenSlot next = slots[i];
            if (next.word != slot.word) {
                last(slot);
                slot = next;
                more = i - begin < segment_slots_;
                break;
            }
            put_slot(at, 0, next.event - slot.event, next, slot.value,
                     prediction.after(slot.writer, false));
            slot = next;
        }
        if (i == count)
            last(slot);
    }
    segment.slots = uint32_t(i - begin);
    finish_segment(segment, at);
    return i;
}

// All slots of a segment, in order.
void decode_segment(const SlotSegment &segment, ByteSpan slot_section, std::vector<Slot> &slots);

// The words of a segment, ascending: reads the words column only.
void segment_words(const SlotSegment &segment, ByteSpan slot_section, std::vector<uint64_t> &words);

} // namespace heapstory
