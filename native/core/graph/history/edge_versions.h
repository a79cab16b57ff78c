// Every version of every pointer field: MG++'s edges over all time.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "graph/edges/pointers.h"
#include "store/table.h"

#include <functional>
#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace heapstory {

struct EdgeVersion {
    uint64_t node = 0, address = 0; // the source, and where it is
    uint64_t word = 0, value = 0;   // address / 8, and what is stored there
    uint64_t target = 0, target_offset = 0;
    EdgeState state = EdgeState::null;
    uint64_t event = 0, timestamp = 0, until = never; // until it is replaced or the source ends
    uint32_t site = 0;
};

// One pass over a trace.
class EdgeVersions {
  public:
    using Visit = std::function<void(const EdgeVersion &)>;

    EdgeVersions(const Store &store, const Pointers &pointers)
        : store_(store), pointers_(pointers) {}

    // Reads on and visits the versions whose end has become known; false at the end of the trace.
    bool read(const Visit &visit);

  private:
    struct Write {
        uint64_t word, stored, value, event, timestamp; // stored: so many events had happened
        uint32_t site;
        bool whole;
    };

    void chunk(uint32_t number, const Visit &visit);
    void gather_slots(uint32_t number);
    bool gather_ranges(uint32_t number);
    void write(const Write &w, const Visit &visit);

    const Store &store_;
    const Pointers &pointers_;
    std::unordered_map<uint64_t, EdgeVersion> standing_; // by word: not replaced yet
    std::vector<Write> writes_;
    std::unordered_set<uint64_t> candidates_; // words in writes_
    size_t next_chunk_ = 0;
};

// As a table.
TableData edge_versions_table(std::shared_ptr<const Store> store,
                              std::shared_ptr<const Pointers> pointers);

} // namespace heapstory
