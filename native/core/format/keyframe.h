// A keyframe: every live word with its last version, after one event. Reading the state as of a
// later moment needs the keyframe and the chunks since.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "format/bytes.h"

#include <cstdint>
#include <span>
#include <vector>

namespace heapstory {

struct KeyWord {
    uint64_t word = 0;
    uint64_t value = 0;
    uint64_t event = 0; // of the last write
    uint32_t site = 0;
    uint8_t mask = 0;   // bytes that have been written, one bit each
    bool mixed = false; // the last write covered only some of them
};

struct KeySegment {
    uint64_t first_word = 0, last_word = 0;
    uint64_t words = 0;
    uint64_t offset = 0, length = 0;
};

class KeyframeEncoder {
  public:
    // `next_event`: number of events before the keyframe.
    explicit KeyframeEncoder(uint64_t next_event) : next_event_(next_event) {}
    void add(const KeyWord &word); // in ascending order
    Bytes finish();

  private:
    void finish_segment();
    uint64_t next_event_;
    std::vector<KeyWord> pending_;
    std::vector<KeySegment> segments_;
    ByteWriter body_;
};

class KeyframeView {
  public:
    KeyframeView() = default;
    KeyframeView(ByteSpan payload, uint64_t next_event);
    std::span<const KeySegment> segments() const { return segments_; }
    void decode(const KeySegment &segment, std::vector<KeyWord> &words) const;

  private:
    std::span<const KeySegment> segments_;
    ByteSpan body_;
    uint64_t next_event_ = 0;
};

} // namespace heapstory
