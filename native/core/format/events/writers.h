// Writers of a segment as numbers of one byte: few write to the words of one segment.
// SPDX-License-Identifier: GPL-2.0-or-later
//
//   numbers   1 byte each: the writer's, counted in the order in which they were first met; the
//             next free number stands for a new one; 255 for one that found no number free
//   new ones  4 bytes each, of those without a number
#pragma once

#include "format/container/bytes.h"

#include <array>
#include <cstdint>

namespace heapstory {

class WriterNumbers {
  public:
    // Both columns of a segment, from the 4 bytes of each writer; valid until the next call.
    void number(ByteSpan writers);
    ByteSpan numbers() const { return numbers_; }
    ByteSpan fresh() const { return fresh_; }

  private:
    static constexpr unsigned table_bits = 10; // four times as many as there are numbers
    struct Entry {
        uint32_t writer = 0, number_plus_one = 0;
    };

    Bytes numbers_, fresh_;
    std::array<Entry, size_t(1) << table_bits> table_;
};

// The 4 bytes of each writer again, before whatever `slack` bytes follow.
void expand_writers(ByteSpan numbers, ByteSpan fresh, Bytes &writers, size_t slack);

} // namespace heapstory
