// How many words of memory hold a pointer, wherever they are: what `owner` asks.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "constraints/timeline/incoming.h"

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace heapstory::constraints {

class References {
  public:
    // A pointer, by its block's id and its value, that is to be counted; all come first.
    void want(uint64_t block, uint64_t address) { numbers_.try_emplace({block, address}, 0); }
    void begin();
    // A word that holds the address of something in a block (by its id) over a time.
    void add(uint64_t block, uint64_t address, uint64_t since, uint64_t until);
    void finish();

    bool known() const { return !index_.first.empty(); }
    // How many words hold such a pointer at a moment.
    uint64_t count(uint64_t block, uint64_t address, uint64_t time, Span &span) const;

  private:
    std::map<std::pair<uint64_t, uint64_t>, uint32_t> numbers_; // by block and address
    std::vector<std::pair<uint32_t, Incoming>> found_;
    IncomingIndex index_; // by number
};

} // namespace heapstory::constraints
