// SPDX-License-Identifier: GPL-2.0-or-later
#include "format/index/keyframe.h"

#include "format/events/slots.h"

#include <array>
#include <bit>

namespace heapstory {

namespace {

constexpr size_t most_words = 8192, part_segments = 64;
constexpr size_t longest = 8; // bytes that a word may take in a column
constexpr std::array<uint8_t, 4> event_length = {1, 2, 4, 6};

unsigned event_class(uint64_t distance) {
    return (distance > 0xff) + (distance > 0xffff) + (distance > 0xffffffff);
}

// What a segment's words are told apart by, from one to the next.
struct Before {
    KeyWord word;
    WriterPrediction sites;

    Before(uint64_t first_word, uint64_t next_event) {
        word.word = first_word - 1;
        word.event = next_event;
    }
    uint32_t &expected_site() { return sites.after(word.site, false); }
};

// A column that is written without asking for room each time.
struct Column {
    Bytes bytes;
    uint8_t *at = nullptr;

    void begin(size_t words) {
        bytes.resize(words * (longest + 2) + longest);
        at = bytes.data();
    }
    void put(uint64_t value, unsigned size) {
        std::memcpy(at, &value, 8);
        at += size;
    }
    void put_varint(uint64_t value) {
        for (; value >= 0x80; value >>= 7)
            *at++ = uint8_t(value) | 0x80;
        *at++ = uint8_t(value);
    }
    ByteSpan written() const { return {bytes.data(), size_t(at - bytes.data())}; }
};

} // namespace

void KeyframeEncoder::add(const KeyWord &word) {
    pending_.push_back(word);
    if (pending_.size() == most_words)
        finish_segment();
}

void KeyframeEncoder::finish_segment() {
    if (pending_.empty())
        return;
    thread_local Column control, words, events, sites, values, wide, masks;
    for (Column *column : {&control, &words, &events, &sites, &values, &wide, &masks})
        column->begin(pending_.size());
    KeySegment segment;
    segment.first_word = pending_.front().word;
    segment.last_word = pending_.back().word;
    segment.words = pending_.size();
    segment.offset = body_.bytes.size();
    Before before(segment.first_word, next_event_);
    for (const KeyWord &word : pending_) {
        unsigned apart = word.word != before.word.word + 1;
        if (apart)
            words.put_varint(word.word - before.word.word);
        uint64_t distance = zigzag(int64_t(word.event - before.word.event));
        unsigned event = event_class(distance);
        events.put(distance, event_length[event]);
        uint32_t &expected = before.expected_site();
        unsigned surprise = word.site != expected;
        expected = word.site;
        sites.put(word.site, 4 * surprise);
        uint64_t difference = zigzag(int64_t(word.value - before.word.value));
        unsigned value = value_class(difference);
        values.put(difference, value == wide_value ? 0 : value);
        wide.put(word.value, value == wide_value ? 8 : 0);
        unsigned partial = word.mixed || word.mask != 0xff;
        masks.put(word.mask | unsigned(word.mixed) << 8, 2 * partial);
        control.put(apart | surprise << 1 | value << 2 | event << 5 | partial << 7, 1);
        before.word = word;
    }
    for (const Column *column : {&control, &words, &sites, &wide, &masks})
        pack(body_, column->written());
    events_packer_.pack(body_, events.written());
    values_packer_.pack(body_, values.written());
    segment.length = body_.bytes.size() - segment.offset;
    segments_.push_back(segment);
    pending_.clear();
    if (segments_.size() == part_segments)
        finish_part();
}

void KeyframeEncoder::finish_part() {
    if (segments_.empty())
        return;
    ByteWriter out;
    out.fixed(uint64_t(segments_.size()));
    for (const KeySegment &segment : segments_)
        out.fixed(segment);
    out.raw(body_.bytes);
    parts_.push_back({segments_.front().first_word, std::move(out.bytes)});
    segments_.clear();
    body_.bytes.clear();
}

std::vector<KeyframePart> KeyframeEncoder::finish() {
    finish_segment();
    finish_part();
    return std::move(parts_);
}

KeyframeView::KeyframeView(ByteSpan payload, uint64_t next_event) : next_event_(next_event) {
    ByteReader in(payload);
    uint64_t count = in.fixed<uint64_t>();
    if (count > in.left() / sizeof(KeySegment))
        throw FormatError("damaged keyframe");
    ByteSpan table = in.raw(count * sizeof(KeySegment));
    segments_ = {reinterpret_cast<const KeySegment *>(table.data()), count};
    body_ = in.raw(in.left());
}

void KeyframeView::decode(const KeySegment &segment, std::vector<KeyWord> &out) const {
    thread_local Bytes control, words, events, sites, values, wide, masks;
    if (segment.offset > body_.size() || segment.words > most_words)
        throw FormatError("damaged keyframe");
    // Reading what lies beyond a column's end does no harm: it is found out afterwards.
    const size_t slack = (segment.words + 1) * (longest + 2);
    ByteReader in(body_.subspan(segment.offset));
    for (Bytes *column : {&control, &words, &sites, &wide, &masks, &events, &values})
        unpack_into(in, *column, slack);
    if (control.size() != segment.words + slack)
        throw FormatError("damaged keyframe");
    const uint8_t *words_at = words.data(), *events_at = events.data(), *sites_at = sites.data(),
                  *values_at = values.data(), *wide_at = wide.data(), *masks_at = masks.data();
    Before before(segment.first_word, next_event_);
    KeyWord &word = before.word;
    out.resize(segment.words);
    for (size_t i = 0; i < out.size(); ++i) {
        unsigned c = control[i];
        if (c & 1) {
            uint64_t distance = 0;
            unsigned shift = 0;
            for (; *words_at & 0x80 && shift < 56; shift += 7)
                distance |= uint64_t(*words_at++ & 0x7f) << shift;
            distance |= uint64_t(*words_at++) << shift;
            word.word += distance;
        } else {
            ++word.word;
        }
        unsigned length = event_length[c >> 5 & 3];
        word.event += uint64_t(unzigzag(load<uint64_t>(events_at) & length_mask[length]));
        events_at += length;
        uint32_t &site = before.expected_site();
        if (c & 2) {
            site = uint32_t(load<uint64_t>(sites_at));
            sites_at += 4;
        }
        word.site = site;
        if (length = c >> 2 & 7; length != wide_value) {
            word.value += uint64_t(unzigzag(load<uint64_t>(values_at) & length_mask[length]));
            values_at += length;
        } else {
            word.value = load<uint64_t>(wide_at);
            wide_at += 8;
        }
        word.mask = 0xff;
        word.mixed = false;
        if (c & 0x80) {
            word.mask = masks_at[0];
            word.mixed = masks_at[1];
            masks_at += 2;
        }
        out[i] = word;
    }
    auto used = [slack](const Bytes &column, const uint8_t *at) {
        return size_t(at - column.data()) + slack == column.size();
    };
    if (!used(words, words_at) || !used(events, events_at) || !used(sites, sites_at) ||
        !used(values, values_at) || !used(wide, wide_at) || !used(masks, masks_at))
        throw FormatError("damaged keyframe");
}

} // namespace heapstory
