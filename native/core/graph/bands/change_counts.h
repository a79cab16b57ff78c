// How many changes each statement and each thread made in each chunk: counted once and kept.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "store/store.h"

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace heapstory {

struct ChunkCounts {
    struct Statement {
        uint32_t site = 0; // 0: unknown
        uint32_t changes = 0;
        uint64_t first = 0, last = 0; // timestamps
    };
    struct Thread {
        uint32_t thread = 0, changes = 0;
    };
    std::vector<Statement> statements; // by site
    std::vector<Thread> threads;       // by thread
};

class ChangeCounts {
  public:
    explicit ChangeCounts(std::shared_ptr<const Store> store);

    size_t chunks() const { return kept_.size(); }
    // Of the number-th events chunk: null if nobody has counted it yet.
    std::shared_ptr<const ChunkCounts> find(size_t number) const;
    std::shared_ptr<const ChunkCounts> get(size_t number);
    // Counts some of those that nobody has counted yet; how many are left then.
    size_t count(size_t most);
    size_t left() const;

    // Of its changes with bounds[i] < timestamp <= bounds[i + 1], for each i with any. Not kept.
    struct Part {
        size_t bucket = 0; // i
        ChunkCounts counts;
    };
    std::vector<Part> parts(size_t number, std::span<const uint64_t> bounds) const;

  private:
    std::shared_ptr<const Store> store_;
    mutable std::mutex mutex_;
    std::vector<std::shared_ptr<const ChunkCounts>> kept_;
};

} // namespace heapstory
