// SPDX-License-Identifier: GPL-2.0-or-later
#include "graph/memory/range_cover.h"

#include <algorithm>

namespace heapstory {

RangeCover::RangeCover(const ChunkRanges &found, uint32_t events, uint64_t first, uint64_t end) {
    // Newest first: what is covered already stays.
    for (auto range = found.ranges.rbegin(); range != found.ranges.rend(); ++range)
        if (range->event < events + range->is_initial)
            add(std::max(first, (range->address + 7) / 8),
                std::min(end, (range->address + range->length) / 8), *range);
}

void RangeCover::add(uint64_t first, uint64_t end, const Range &range) {
    auto next = pieces_.upper_bound(first);
    while (first < end) {
        uint64_t stop = next == pieces_.end() ? end : std::min(end, next->second.first);
        if (first < stop)
            pieces_.emplace_hint(next, stop, Piece{first, stop, &range});
        if (next == pieces_.end())
            return;
        first = std::max(first, next->second.end);
        ++next;
    }
}

} // namespace heapstory
