// Every version of every pointer, by the node it points to: who points here, now or ever.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "graph/edges/edges.h"
#include "store/memory.h"

#include <cstdint>
#include <span>

namespace heapstory {

// A pointer in a field of a node, from when it was stored until the next write to the word or the
// end of the node.
struct StoredPointer {
    uint64_t event : 40 = 0, site : 24 = 0;
    uint64_t until : 40 = 0, word_low : 24 = 0; // until: gone after so many events; ever: `stays`
    uint64_t value : 40 = 0, word_high : 24 = 0;
    uint64_t source = 0;

    static constexpr uint64_t stays = (uint64_t(1) << 40) - 1;
    uint64_t word() const { return uint64_t(word_high) << 24 | word_low; }
    void set_word(uint64_t word) {
        word_low = word & 0xffffff;
        word_high = word >> 24;
    }
    bool initial() const { return !site; } // stands before the event, and has no statement
    uint64_t stored() const { return event + !initial(); }
    bool stands_after(uint64_t n) const { return stored() <= n && n < until; }
};
static_assert(sizeof(StoredPointer) == 32);

class PointerIndex {
  public:
    PointerIndex() = default;
    PointerIndex(const Store &store, const Pointers &pointers);

    // The pointers to what is or was in a node or in those it was split off, by value, then time.
    std::span<const StoredPointer> to(const Store &store, uint64_t node) const;
    uint64_t size() const { return stored_.size(); }

  private:
    Values<StoredPointer> stored_;
    Values<uint64_t> first_; // by eldest node (see Lineage): where its pointers begin
};

// Who points to a node after n events: the same rows as those of the graph.
Batches incoming_of(const Store &store, const Pointers &pointers, const PointerIndex &index,
                    uint64_t node, uint64_t n);

// Every pointer that ever meant a node and stood at some timestamp in first .. last, oldest first.
TableData pointing_table(const Store &store, const Pointers &pointers, const PointerIndex &index,
                         uint64_t node, uint64_t first, uint64_t last);

} // namespace heapstory
