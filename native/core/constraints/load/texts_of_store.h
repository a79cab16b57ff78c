// Texts (C strings in blocks) as of any timestamp, read from a trace.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "constraints/timeline/texts.h"
#include "store/store.h"

#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace heapstory::constraints {

// Texts looked up in a trace; each word of a block is read once.
class StoreTexts : public Texts {
  public:
    explicit StoreTexts(std::shared_ptr<const Store> store) : store_(std::move(store)) {}
    std::optional<std::string> text(uint64_t block, uint64_t offset, uint64_t most, uint64_t time,
                                    Span &span) const override;

  private:
    struct Moment { // a word from a timestamp on
        uint64_t since = 0, value = 0;
        uint8_t mask = 0; // bytes that are known
    };
    struct Held {
        uint64_t id = 0;
        NodeRow row;
        std::unordered_map<uint64_t, std::vector<Moment>> words; // by address / 8
    };
    const std::vector<Moment> &word(Held &block, uint64_t word) const;

    std::shared_ptr<const Store> store_;
    mutable std::mutex busy_; // any thread may ask
    mutable std::unordered_map<uint64_t, Held> blocks_;
};

} // namespace heapstory::constraints
