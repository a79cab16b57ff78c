// Stores as the trace keeps them: slots sorted by address, then by time, in small segments.
// SPDX-License-Identifier: GPL-2.0-or-later
//
// Sorting by word puts all versions of a field side by side, so that looking one up decodes a few
// thousand slots, and so that a value is predicted from the one it replaced. Slots of a loop over
// an array are kept together as a run (runs.h). A segment is encoded on its own, as columns; the
// slots that stand alone first, then its runs:
//
//   words     per new word: distance from the previous word (varint)
//   control   per slot: bit 0 new word | 1 writer not as predicted | 2-4 value length |
//             5-6 event length - 1
//   events    1-4 bytes: distance from the word's previous slot; for a new word zigzag distance
//             from the previous word's first slot
//   writers   where not as predicted: site | first byte in the word << 28 | bytes << 24, as numbers
//             of one byte, and 4 bytes for those that have none yet (writers.h); before format 9
//             always 4 bytes
//   values    0-6 bytes: zigzag difference from the word's previous slot (new word: from the
//             previous word's first)
//   wide      8 bytes: the value itself where the difference is longer (text, mostly)
//   heads, values of runs
//
// The writer is predicted to be the one that followed the same writer the last time.
#pragma once

#include "format/container/chunk.h"
#include "format/events/runs.h"
#include "format/events/slot.h"
#include "format/events/writers.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <vector>

namespace heapstory {

struct SlotSegment {
    uint64_t first_word = 0, last_word = 0;
  uint32_t slots : 31 = 0;     // those of runs included
    uint32_t numbered : 1 = 0; // whether writers are numbers; not before format 9
    uint32_t offset = 0;       // in the chunk's slot section
    uint32_t words_length = 0; // packed words column; the others follow
    uint32_t length = 0;       // of all columns
};
static_assert(sizeof(SlotSegment) == 32);

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

// The bits of a number that is kept in so many bytes.
constexpr std::array<uint64_t, 7> length_mask = {0,          0xff,         0xffff,        0xffffff,
                                                 0xffffffff, 0xffffffffff, 0xffffffffffff};

// At any place; where fewer bytes are meant, the others are of what follows.
template <class T> T load(const uint8_t *at) {
    T value;
    std::memcpy(&value, at, sizeof value);
    return value;
}

constexpr unsigned wide_value = 7; // the class of values that are kept whole

inline unsigned value_class(uint64_t difference) { // its bytes, up to wide_value
    return std::min<unsigned>((71 - unsigned(std::countl_zero(difference))) >> 3, wide_value);
}

class SlotEncoder {
  public:
    std::vector<SlotSegment> segments;
    ByteWriter out; // the slot section

    explicit SlotEncoder(uint32_t segment_slots = 8192) : segment_slots_(segment_slots) {}

    // All slots of a chunk, as columns that are not packed yet. `slots[i]` is the i-th that stands
    // alone, by word, then by event; `runs[i]` the i-th run, by page, then by event. `last(slot)`
    // is called with the last of every word among those alone.
    template <class Slots, class Runs, class Last>
    void encode(size_t count, const Slots &slots, size_t run_count, const Runs &runs, Last last) {
        segments.clear();
        runs_.clear();
        make_room(count);
        ends_.assign(1, {control_.data(), words_.data(), events_.data(), writers_.data(),
                         values_.data(), wide_.data()});
        for (Position at; at.slot < count || at.run < run_count;)
            at = encode_segment(at, count, slots, run_count, runs, last);
    }
    // Fills in `out`. As much work as all before, so that another thread may do it meanwhile.
    void pack_columns();
    void encode(const std::vector<Slot> &slots, const std::vector<SlotRun> &runs = {}) {
        encode(slots.size(), slots, runs.size(), runs, [](const WrittenSlot &) {});
        pack_columns();
    }

  private:
    struct Ends { // of the columns
        uint8_t *control = nullptr, *words = nullptr, *events = nullptr, *writers = nullptr,
                *values = nullptr, *wide = nullptr;
    };

    void make_room(size_t slots);
    struct Position { // the next slot and run
        size_t slot = 0, run = 0;
    };
    template <class Slots, class Runs, class Last>
    Position encode_segment(Position from, size_t count, const Slots &slots, size_t run_count,
                            const Runs &runs, Last last);
    void pack_segment(size_t number);

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
    Bytes control_, words_, events_, writers_, values_, wide_; // of the whole chunk
    std::vector<Ends> ends_;                                   // the start, then of each segment
    WriterNumbers writer_numbers_;
    ColumnPacker control_packer_, events_packer_, writers_packer_, values_packer_;
    RunEncoder runs_;
};

// A segment ends after segment_slots; those of runs, which are quick to decode, count half. A word
// with very many versions keeps it open beyond that, and so does a page that has runs.
template <class Slots, class Runs, class Last>
SlotEncoder::Position SlotEncoder::encode_segment(Position from, size_t count, const Slots &slots,
                                                  size_t run_count, const Runs &runs, Last last) {
    constexpr uint64_t none = ~uint64_t(0);
    size_t i = from.slot, run = from.run, in_runs = 0;
    Ends at = ends_.back();
    WriterPrediction prediction;
    WrittenSlot slot, first;
    if (i < count)
        slot = slots[i];
    SlotSegment segment;
    auto page_of_slot = [&] { return i < count ? slot.word / page_words : none; };
    auto page_of_run = [&] { return run < run_count ? runs[run].page() : none; };
    segment.first_word = page_of_run() <= page_of_slot() ? page_of_run() * page_words : slot.word;
    uint64_t last_word = segment.first_word;
    auto is_full = [&] { return i - from.slot + in_runs / 2 >= segment_slots_; };
    while (!is_full()) {
        const uint64_t page = std::min(page_of_slot(), page_of_run());
        if (page == none)
            break;
        const bool has_runs = page_of_run() == page;
        for (; page_of_run() == page; ++run) {
            const SlotRun &added = runs[run];
            runs_.add(added);
            in_runs += added.count;
        }
        while (page_of_slot() == page && (has_runs || !is_full())) {
            at.words = put_varint(at.words, slot.word - last_word);
            last_word = slot.word;
            put_slot(at, 1, uint32_t(zigzag(int32_t(slot.event - first.event))), slot, first.value,
                     prediction.after(first.writer, true));
            first = slot;
            while (++i < count) {
                WrittenSlot next = slots[i];
                if (next.word != last_word) {
                    last(slot);
                    slot = next;
                    break;
                }
                put_slot(at, 0, next.event - slot.event, next, slot.value,
                         prediction.after(slot.writer, false));
                slot = next;
            }
            if (i == count)
                last(slot);
        }
        segment.last_word = has_runs ? page * page_words + page_words - 1 : last_word;
    }
    segment.slots = uint32_t(i - from.slot + in_runs) & 0x7fffffff;
    segment.numbered = 1;
    segments.push_back(segment);
    ends_.push_back(at);
    runs_.end_segment();
    return {i, run};
}

// All slots of a segment, in order.
void decode_segment(const SlotSegment &segment, ByteSpan slot_section, std::vector<Slot> &slots);

// Those of some words only, in order: about half the work.
void decode_words(const SlotSegment &segment, ByteSpan slot_section, uint64_t first_word,
                  uint64_t last_word, std::vector<Slot> &slots);

// The words of a segment, ascending: reads the columns of words and of runs only.
void segment_words(const SlotSegment &segment, ByteSpan slot_section, std::vector<uint64_t> &words);

} // namespace heapstory
