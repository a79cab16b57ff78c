// What kind of change, by stretch of time. The tables are described in docs/internals/view.md.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "graph/bands/change_counts.h"
#include "store/table.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace heapstory {

struct Bands {
    std::vector<std::pair<std::string, TableData>> tables;
    bool complete = true; // false: some chunks have not been counted yet
};

// Changes with first < timestamp <= last in about so many buckets. Counts at most `most_chunks`
// chunks that nobody has counted before.
Bands bands_of(const Store &store, ChangeCounts &counts, uint64_t first, uint64_t last,
               size_t buckets, size_t most_chunks);

// The changes that some sites made (none named: all), in order: those with first < timestamp <=
// last, at most `limit`.
TableData changes_table(const Store &store, ChangeCounts &counts,
                        const std::vector<uint32_t> &sites, uint64_t first, uint64_t last,
                        size_t limit);

} // namespace heapstory
