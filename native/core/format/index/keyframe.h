// A keyframe: every live word with its last version, after one event. Reading the state as of a
// later moment needs the keyframe and the chunks since.
// SPDX-License-Identifier: GPL-2.0-or-later
//
// It is cut into parts by address, a chunk each, so that a look-up reads and checks only one. A
// part is u64 segments | KeySegment[segments] | bodies; a segment is encoded on its own, as
// columns:
//
//   control   per word: bit 0 not the next word | 1 site not as predicted | 2-4 value length |
//             5-6 event length (1, 2, 4 or 6 bytes) | 7 some bytes were not written by the last
//             write
//   words     distance from the word before (varint), where it is not the next
//   events    zigzag distance from the event of the word before
//   sites     4 bytes where not as predicted: the site that followed the same site the last time
//   values    0-6 bytes: zigzag difference from the value of the word before
//   wide      8 bytes: the value itself where the difference is longer
//   masks     2 bytes where bit 7 is set: which bytes were written, and whether by several writes
#pragma once

#include "format/container/chunk.h"

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

struct KeyframePart {
    uint64_t first_word = 0;
    Bytes payload;
};

class KeyframeEncoder {
  public:
    // `next_event`: number of events before the keyframe.
    explicit KeyframeEncoder(uint64_t next_event) : next_event_(next_event) {}
    void add(const KeyWord &word); // in ascending order
    std::vector<KeyframePart> finish();

  private:
    void finish_segment();
    void finish_part();
    uint64_t next_event_;
    std::vector<KeyWord> pending_;
    std::vector<KeySegment> segments_;
    ByteWriter body_;
    ColumnPacker events_packer_, values_packer_; // others are known to repeat themselves
    std::vector<KeyframePart> parts_;
};

// One part.
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
