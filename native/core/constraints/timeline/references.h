// How many words of memory hold a pointer, wherever they are: what `owner` asks.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "constraints/timeline/incoming.h"

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace heapstory::constraints {

class Timeline;

class References {
  public:
    // Which are counted: those that a field of the structure held at any time.
    void begin(const Timeline &line);
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
