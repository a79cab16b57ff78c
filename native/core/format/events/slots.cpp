// SPDX-License-Identifier: GPL-2.0-or-later
#include "format/events/slots.h"

#include "format/container/chunk.h"

#include <functional>

namespace heapstory {

void SlotEncoder::make_room(size_t slots) {
    if (slots <= capacity_)
        return;
    capacity_ = slots;
    auto enlarge = [&](Bytes &column, size_t per_slot) {
        column.resize(slots * per_slot + 16); // what is put may reach beyond its end
    };
    enlarge(control_, 1);
    enlarge(words_, 10);
    enlarge(events_, 4);
    enlarge(writers_, 4);
    enlarge(values_, 6);
    enlarge(wide_, 8);
}

void SlotEncoder::pack_columns() {
    out.bytes.clear();
    for (size_t number = 0; number < segments.size(); ++number)
        pack_segment(number);
}

void SlotEncoder::pack_segment(size_t number) {
    const Ends &from = ends_[number], &to = ends_[number + 1];
    SlotSegment &segment = segments[number];
    segment.offset = uint32_t(out.bytes.size());
    pack(out, {from.words, to.words});
    segment.words_length = uint32_t(out.bytes.size()) - segment.offset;
    control_packer_.pack(out, {from.control, to.control});
    events_packer_.pack(out, {from.events, to.events});
    writer_numbers_.number({from.writers, to.writers});
    writers_packer_.pack(out, writer_numbers_.numbers());
    pack(out, writer_numbers_.fresh());
    values_packer_.pack(out, {from.values, to.values});
    pack(out, {from.wide, to.wide});
    runs_.pack_segment(number, out);
    segment.length = uint32_t(out.bytes.size()) - segment.offset;
}

namespace {

constexpr size_t slack = 16; // bytes behind a column that may be read

struct Columns {
    Bytes words, control, events, writer_numbers, fresh_writers, writers, values, wide;

    // Reads them all; the runs are next then.
    void read(const SlotSegment &segment, ByteReader &in) {
        for (Bytes *column : {&words, &control, &events})
            unpack_into(in, *column, slack);
        if (control.size() > segment.slots + slack)
            throw FormatError("damaged segment");
        if (segment.numbered) {
            unpack_into(in, writer_numbers, 0);
            unpack_into(in, fresh_writers, 0);
            if (writer_numbers.size() > alone())
                throw FormatError("damaged segment");
            expand_writers(writer_numbers, fresh_writers, writers, slack);
        } else
            unpack_into(in, writers, slack);
        for (Bytes *column : {&values, &wide})
            unpack_into(in, *column, slack);
        check_lengths();
    }
    uint32_t alone() const { return uint32_t(control.size() - slack); }

    // decode() reads without looking for the ends, so the columns must be as long as it needs.
    void check_lengths() const {
        uint32_t new_words = 0, writer_count = 0, wide_count = 0, event_bytes = 0, value_bytes = 0;
        for (uint32_t i = 0; i < alone(); ++i) {
            const uint32_t c = control[i], length = c >> 2 & 7, is_wide = length == wide_value;
            new_words += c & 1;
            writer_count += c >> 1 & 1;
            event_bytes += (c >> 5 & 3) + 1;
            value_bytes += is_wide ? 0 : length;
            wide_count += is_wide;
        }
        uint32_t distances = 0;
        for (size_t i = 0; i < words.size() - slack; ++i)
            distances += !(words[i] & 0x80);
        if (distances < new_words || events.size() - slack < event_bytes ||
            writers.size() - slack < size_t(writer_count) * 4 ||
            values.size() - slack < value_bytes || wide.size() - slack < size_t(wide_count) * 8)
            throw FormatError("damaged segment");
    }

    // Calls take(slot) with one after the other of those that stand alone, until it says no.
    template <class Take> void decode(uint64_t first_word, Take take) const {
        const uint8_t *words_at = words.data(), *events_at = events.data(),
                      *writers_at = writers.data(), *values_at = values.data(),
                      *wide_at = wide.data();
        WriterPrediction prediction;
        WrittenSlot last, first;
        last.word = first.word = first_word;
        for (uint32_t i = 0; i < alone(); ++i) {
            unsigned c = control[i];
            unsigned elength = (c >> 5 & 3) + 1;
            uint32_t event = load<uint32_t>(events_at);
            event &= uint32_t(length_mask[elength]);
            events_at += elength;
            if (c & 1) {
                uint64_t distance = 0;
                unsigned shift = 0;
                while (*words_at & 0x80) {
                    distance |= uint64_t(*words_at++ & 0x7f) << shift;
                    shift = shift + 7 < 63 ? shift + 7 : 63;
                }
                distance |= uint64_t(*words_at++) << shift;
                uint64_t word = last.word + distance;
                last = first;
                last.word = word;
                last.event = first.event + uint32_t(int32_t(unzigzag(event)));
            } else {
                last.event += event;
            }
            uint32_t &writer = prediction.after(last.writer, c & 1);
            if (c & 2) {
                writer = load<uint32_t>(writers_at);
                writers_at += 4;
            }
            last.writer = writer;
            if (unsigned length = (c >> 2) & 7; length != wide_value) {
                last.value += uint64_t(unzigzag(load<uint64_t>(values_at) & length_mask[length]));
                values_at += length;
            } else {
                last.value = load<uint64_t>(wide_at);
                wide_at += 8;
            }
            if (c & 1)
                first = last;
            if (!take(Slot{last.word, last.value, last.event, writer_site(writer),
                           writer_shape(writer)}))
                return;
        }
    }
};

Columns &columns_here() {
    thread_local Columns columns;
    return columns;
}

ByteReader reader_of(const SlotSegment &segment, ByteSpan slot_section) {
    return ByteReader(slot_section.subspan(std::min<size_t>(segment.offset, slot_section.size())));
}

// All slots of a segment whose columns have been read.
void decode_all(const SlotSegment &segment, const Columns &columns, ByteReader &in,
                std::vector<Slot> &slots) {
    slots.resize(columns.alone());
    Slot *next = slots.data();
    columns.decode(segment.first_word, [&](const Slot &slot) {
        *next++ = slot;
        return true;
    });
    decode_runs(in, segment.slots, slots);
    if (slots.size() != segment.slots)
        throw FormatError("damaged segment");
}

} // namespace

void decode_segment(const SlotSegment &segment, ByteSpan slot_section, std::vector<Slot> &slots) {
    ByteReader in = reader_of(segment, slot_section);
    Columns &columns = columns_here();
    columns.read(segment, in);
    decode_all(segment, columns, in, slots);
}

void decode_words(const SlotSegment &segment, ByteSpan slot_section, uint64_t first_word,
                  uint64_t last_word, std::vector<Slot> &slots) {
    ByteReader in = reader_of(segment, slot_section);
    Columns &columns = columns_here();
    columns.read(segment, in);
    auto wanted = [&](const Slot &slot) {
        return slot.word >= first_word && slot.word <= last_word;
    };
    if (columns.alone() < segment.slots) { // it has runs
        decode_all(segment, columns, in, slots);
        std::erase_if(slots, std::not_fn(wanted));
        return;
    }
    slots.clear();
    columns.decode(segment.first_word, [&](const Slot &slot) {
        if (wanted(slot))
            slots.push_back(slot);
        return slot.word <= last_word;
    });
}

void segment_words(const SlotSegment &segment, ByteSpan slot_section,
                   std::vector<uint64_t> &words) {
    thread_local Bytes column;
    ByteReader in = reader_of(segment, slot_section);
    unpack_into(in, column, 0);
    ByteReader deltas(column);
    words.clear();
    uint64_t word = segment.first_word;
    while (!deltas.done())
        words.push_back(word += deltas.varint());
    const size_t alone = words.size();
    const unsigned others = segment.numbered ? 6 : 5; // control, events, writers, values, wide
    for (unsigned column = 0; column < others; ++column)
        skip_packed(in);
    run_words(in, segment.slots, words);
    if (words.size() == alone)
        return;
    std::sort(words.begin(), words.end());
    words.erase(std::unique(words.begin(), words.end()), words.end());
}

} // namespace heapstory
