// SPDX-License-Identifier: GPL-2.0-or-later
#include "format/slots.h"

#include "format/chunk.h"

#include <array>

namespace heapstory {

namespace {

constexpr std::array<uint64_t, 7> length_mask = {0,          0xff,         0xffff,        0xffffff,
                                                 0xffffffff, 0xffffffffff, 0xffffffffffff};

template <class T> T load(const uint8_t *at) {
    T value;
    std::memcpy(&value, at, sizeof value);
    return value;
}

} // namespace

void SlotEncoder::clear() {
    segments.clear();
    out.bytes.clear();
    open_ = false;
}

void SlotEncoder::begin_segment(uint64_t word) {
    open_ = true;
    count_ = 0;
    last_ = {};
    first_ = {};
    last_.word = first_.word = word;
    first_word_ = word;
    if (!capacity_) {
        capacity_ = segment_slots_ * 2;
        grow();
    }
    ends_.control = control_.data();
    ends_.words = words_.data();
    ends_.events = events_.data();
    ends_.sites = sites_.data();
    ends_.shapes = shapes_.data();
    ends_.values = values_.data();
    ends_.wide = wide_.data();
}

// A word with very many versions keeps its segment open beyond segment_slots.
void SlotEncoder::grow() {
    auto enlarge = [this](Bytes &column, uint8_t *&at, size_t per_slot) {
        size_t used = column.empty() ? 0 : size_t(at - column.data());
        column.resize(capacity_ * per_slot + 16);
        at = column.data() + used;
    };
    enlarge(control_, ends_.control, 1);
    enlarge(words_, ends_.words, 10);
    enlarge(events_, ends_.events, 4);
    enlarge(sites_, ends_.sites, 3);
    enlarge(shapes_, ends_.shapes, 1);
    enlarge(values_, ends_.values, 6);
    enlarge(wide_, ends_.wide, 8);
}

void SlotEncoder::finish_segment() {
    SlotSegment segment;
    segment.first_word = first_word_;
    segment.last_word = last_.word;
    segment.slots = count_;
    segment.offset = uint32_t(out.bytes.size());
    auto span = [](const Bytes &column, const uint8_t *at) {
        return ByteSpan(column.data(), size_t(at - column.data()));
    };
    pack(out, span(words_, ends_.words));
    segment.words_length = uint32_t(out.bytes.size()) - segment.offset;
    pack(out, span(control_, ends_.control));
    pack(out, span(events_, ends_.events));
    pack(out, span(sites_, ends_.sites));
    pack(out, span(shapes_, ends_.shapes));
    pack(out, span(values_, ends_.values));
    pack(out, span(wide_, ends_.wide));
    segment.length = uint32_t(out.bytes.size()) - segment.offset;
    segments.push_back(segment);
    open_ = false;
}

void decode_segment(const SlotSegment &segment, ByteSpan slot_section, std::vector<Slot> &slots) {
    constexpr size_t slack = 16;
    thread_local Bytes words, control, events, sites, shapes, values, wide;
    ByteReader in(slot_section.subspan(std::min<size_t>(segment.offset, slot_section.size())));
    unpack_into(in, words, slack);
    unpack_into(in, control, slack);
    unpack_into(in, events, slack);
    unpack_into(in, sites, slack);
    unpack_into(in, shapes, slack);
    unpack_into(in, values, slack);
    unpack_into(in, wide, slack);
    if (control.size() != segment.slots + slack)
        throw FormatError("damaged segment");

    slots.resize(segment.slots);
    const uint8_t *words_at = words.data(), *events_at = events.data(), *sites_at = sites.data(),
                  *shapes_at = shapes.data(), *values_at = values.data(), *wide_at = wide.data();
    Slot last, first;
    last.word = first.word = segment.first_word;
    for (uint32_t i = 0; i < segment.slots; ++i) {
        unsigned c = control[i];
        unsigned elength = (c >> 6) + 1;
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
        if (c & 2) {
            last.site = load<uint32_t>(sites_at) & 0xffffff;
            sites_at += 3;
        }
        if (c & 4)
            last.shape = *shapes_at++;
        if (unsigned length = (c >> 3) & 7; length != wide_value) {
            last.value += uint64_t(unzigzag(load<uint64_t>(values_at) & length_mask[length]));
            values_at += length;
        } else {
            last.value = load<uint64_t>(wide_at);
            wide_at += 8;
        }
        if (c & 1)
            first = last;
        slots[i] = last;
    }
}

void segment_words(const SlotSegment &segment, ByteSpan slot_section,
                   std::vector<uint64_t> &words) {
    thread_local Bytes column;
    ByteReader in(slot_section.subspan(std::min<size_t>(segment.offset, slot_section.size())));
    unpack_into(in, column, 0);
    ByteReader deltas(column);
    words.clear();
    uint64_t word = segment.first_word;
    while (!deltas.done())
        words.push_back(word += deltas.varint());
}

} // namespace heapstory
