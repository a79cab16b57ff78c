// Which of a chunk's ranged stores wrote each word last.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "store/store.h"

#include <cstdint>
#include <map>

namespace heapstory {

class RangeCover {
  public:
    struct Piece {
        uint64_t first = 0, end = 0; // words
        const Range *range = nullptr;
    };

    // Of the ranges that the first `events` events of the chunk brought, within [first, end).
    RangeCover(const ChunkRanges &found, uint32_t events, uint64_t first, uint64_t end);

    // Null if no range wrote the word.
    const Range *find(uint64_t word) const {
        auto piece = pieces_.upper_bound(word); // by end
        return piece != pieces_.end() && piece->second.first <= word ? piece->second.range
                                                                     : nullptr;
    }
    const std::map<uint64_t, Piece> &pieces() const { return pieces_; } // by end
    bool empty() const { return pieces_.empty(); }

  private:
    void add(uint64_t first, uint64_t end, const Range &range);
    std::map<uint64_t, Piece> pieces_; // disjoint
};

} // namespace heapstory
