// SPDX-License-Identifier: GPL-2.0-or-later
#include "format/keyframe.h"

#include "format/chunk.h"

namespace heapstory {

namespace {
constexpr size_t segment_words = 8192;
}

void KeyframeEncoder::add(const KeyWord &word) {
    pending_.push_back(word);
    if (pending_.size() == segment_words)
        finish_segment();
}

void KeyframeEncoder::finish_segment() {
    if (pending_.empty())
        return;
    KeySegment segment;
    segment.first_word = pending_.front().word;
    segment.last_word = pending_.back().word;
    segment.words = pending_.size();
    segment.offset = body_.bytes.size();
    ByteWriter words, events, sites, values, masks;
    KeyWord last;
    last.word = segment.first_word;
    last.event = next_event_;
    for (const KeyWord &word : pending_) {
        words.varint(word.word - last.word);
        events.signed_varint(int64_t(word.event - last.event));
        sites.signed_varint(int64_t(word.site) - int64_t(last.site));
        values.signed_varint(int64_t(word.value - last.value));
        masks.bytes.push_back(word.mask);
        masks.bytes.push_back(word.mixed);
        last = word;
    }
    for (auto *column : {&words, &events, &sites, &values, &masks})
        pack(body_, column->bytes);
    segment.length = body_.bytes.size() - segment.offset;
    segments_.push_back(segment);
    pending_.clear();
}

Bytes KeyframeEncoder::finish() {
    finish_segment();
    ByteWriter out;
    out.fixed(uint64_t(segments_.size()));
    for (const KeySegment &segment : segments_)
        out.fixed(segment);
    out.raw(body_.bytes);
    return std::move(out.bytes);
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
    if (segment.offset > body_.size())
        throw FormatError("damaged keyframe");
    ByteReader in(body_.subspan(segment.offset));
    thread_local Bytes columns[5];
    for (Bytes &column : columns)
        unpack_into(in, column, 0);
    ByteReader words(columns[0]), events(columns[1]), sites(columns[2]), values(columns[3]),
        masks(columns[4]);
    if (segment.words * 2 != columns[4].size())
        throw FormatError("damaged keyframe");
    out.resize(segment.words);
    KeyWord last;
    last.word = segment.first_word;
    last.event = next_event_;
    for (KeyWord &word : out) {
        last.word += words.varint();
        last.event += uint64_t(events.signed_varint());
        last.site = uint32_t(int64_t(last.site) + sites.signed_varint());
        last.value += uint64_t(values.signed_varint());
        last.mask = masks.fixed<uint8_t>();
        last.mixed = masks.fixed<uint8_t>();
        word = last;
    }
}

} // namespace heapstory
