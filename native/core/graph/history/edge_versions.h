// Every version of every pointer field: MG++'s edges over all time.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "graph/edges/pointers.h"
#include "store/table.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <utility>
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

// Values from the first of a pair to its second, for any of the pairs.
class ValueRanges {
  public:
    explicit ValueRanges(std::vector<std::pair<uint64_t, uint64_t>> ranges);
    bool contains(uint64_t value) const {
        auto after = std::upper_bound(starts_.begin(), starts_.end(), value);
        return after != starts_.begin() && value <= ends_[size_t(after - starts_.begin()) - 1];
    }

  private:
    std::vector<uint64_t> starts_, ends_; // sorted, apart from each other
};

// One pass over a trace: of all pointers, or of those whose values are wanted.
class EdgeVersions {
  public:
    using Visit = std::function<void(const EdgeVersion &)>;

    EdgeVersions(const Store &store, const Pointers &pointers,
                 std::shared_ptr<const ValueRanges> wanted = {})
        : store_(store), pointers_(pointers), wanted_(std::move(wanted)) {}

    // Reads on and visits the versions whose end has become known; false at the end of the trace.
    bool read(const Visit &visit);

  private:
    struct Write {
        uint64_t word, stored, value, event, timestamp; // stored: so many events had happened
        uint32_t site;
        bool whole;
    };

    bool may_be_pointer(uint64_t value) const {
        return pointers_.may_be_pointer(value) && (!wanted_ || wanted_->contains(value));
    }
    void chunk(uint32_t number, const Visit &visit);
    void gather_slots(uint32_t number);
    bool gather_ranges(uint32_t number);
    void write(const Write &w, const Visit &visit);

    const Store &store_;
    const Pointers &pointers_;
    std::shared_ptr<const ValueRanges> wanted_;
    std::unordered_map<uint64_t, EdgeVersion> standing_; // by word: not replaced yet
    std::vector<Write> writes_;
    std::unordered_set<uint64_t> candidates_; // words in writes_
    size_t next_chunk_ = 0;
};

// As a table.
TableData edge_versions_table(std::shared_ptr<const Store> store,
                              std::shared_ptr<const Pointers> pointers,
                              std::shared_ptr<const ValueRanges> wanted = {});

} // namespace heapstory
