// What the fields of nodes held within a window, gathered node by node in a short form.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "graph/edges/meanings.h"
#include "graph/history/word_histories.h"

#include <cstdint>
#include <span>
#include <vector>

namespace heapstory {

// A version of a word: a write to it, or a change of what it points to.
struct VersionRecord {
    uint64_t event : 40 = 0, site : 24 = 0; // meaning: holds after so many events
    uint64_t value = 0;
    uint64_t target : 36 = 0, known : 8 = 0, initial : 1 = 0, zeroed : 1 = 0, is_meaning : 1 = 0;
    uint64_t stale : 1 = 0, followed : 1 = 0;
    uint64_t by : 36 = 0;
    uint64_t target_offset = 0;
};

struct FieldRecord {
    uint32_t node = 0; // its place in the list of nodes
    uint64_t word = 0;
    uint64_t first = 0, end = 0; // versions
};

// The fields of nodes that lie near each other.
struct Records {
    std::vector<FieldRecord> fields; // by node, then word
    std::vector<VersionRecord> versions;
};

struct RecordLimits {
    uint64_t data_words = 32;     // of a node, beyond which words without a pointer are left out
    uint64_t zeroed_words = 4096; // of a node, beyond which words that nobody wrote are
};

class RecordFinder {
  public:
    RecordFinder(const Store &store, const Meanings &meanings)
        : store_(store), meanings_(meanings) {}

    // Takes the versions of a word within `last` events, those of a word that never held a pointer
    // only if it is `wanted`; says whether it kept any.
    bool add(const NodeMemory &node, uint32_t index, uint64_t word,
             std::span<const WordVersion> versions, uint64_t last, bool wanted, Records &out);

  private:
    void add_version(const NodeMemory &node, const WordVersion &version, bool whole, uint64_t until,
                     Records &out);
    // So many events have happened when a word is no longer the node's: it ends, or the word is
    // split off it. At most `last` + 1.
    uint64_t owned_until(const NodeMemory &node, uint64_t word, uint64_t last) const;

    const Store &store_;
    const Meanings &meanings_;
    std::vector<Meanings::Turn> turns_;
};

} // namespace heapstory
