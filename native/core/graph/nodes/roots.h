// Words of stacks, registers and mapped memory that pointed into the heap when they were scanned,
// and named roots. SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "store/store.h"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace heapstory {

struct ScannedWord {
    std::string name;     // "thread 1 rbx", "thread 1 stack", "memory"
    uint64_t address = 0; // of the word, 0 for a register
    uint64_t value = 0;
};

// The words of one mark of a scan.
std::vector<ScannedWord> scanned_words(const Mark &mark);

// The words of the last scan at this timestamp; `scanned` tells whether there was one that left
// nothing out.
std::vector<ScannedWord> scanned_words(const Store &store, uint64_t timestamp, bool &scanned);

// Addresses inside of blocks that were as good as starts when the program was scanned, and why
// (enum hsw_part).
using Parts = std::unordered_map<uint64_t, uint8_t>;
Parts parts_at(const Store &store, uint64_t timestamp);

// Names given by HEAPSTORY_ROOT. Read when first asked for, since they may stand in any chunk.
class Labels {
  public:
    explicit Labels(std::shared_ptr<const Store> store) : store_(std::move(store)) {}
    // The name that a node has by a timestamp, empty if none.
    std::string_view of(const NodeRow &row, uint64_t timestamp) const;

  private:
    struct Name {
        uint64_t timestamp = 0;
        std::string text;
    };
    void read() const;
    std::shared_ptr<const Store> store_;
    mutable std::once_flag once_;
    mutable std::map<uint64_t, std::vector<Name>> names_; // by address, in order of time
};

} // namespace heapstory
