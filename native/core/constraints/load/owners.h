// Which blocks held a word of memory, and when: address reuse makes it several.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "constraints/timeline/span.h"
#include "store/memory.h"

#include <cstdint>
#include <vector>

namespace heapstory::constraints {

// When and where a block lived, counted in events.
struct Lifetime {
    uint64_t address = 0, size = 0;
    uint64_t birth = 0, death = forever; // exists after so many events, gone after so many
};

class Owners {
  public:
    static constexpr uint32_t nobody = ~uint32_t(0);

    // In order of birth.
    explicit Owners(const std::vector<Lifetime> &blocks);
    ~Owners();
    Owners(const Owners &) = delete;
    Owners &operator=(const Owners &) = delete;

    // The number of a word that some block held, `nobody` for others. Numbers are below words().
    uint32_t number(uint64_t word) const {
        uint64_t page = word / page_words;
        if (page >= pages || !table_[page])
            return nobody;
        return (table_[page] - 1) * uint32_t(page_words) + uint32_t(word % page_words);
    }
    size_t words() const { return first_.size() - 1; }
    // The youngest block that is alive after n events and holds a word (by its number), and the
    // number of events at which that may end.
    struct Alive {
        uint32_t block;
        uint64_t until;
    };
    Alive alive_after(uint32_t number, uint64_t n) const;
    // The same for an address.
    uint32_t find(uint64_t address, uint64_t n) const;
    // About half of the words lie below this one.
    uint64_t middle() const { return middle_; }

  private:
    static constexpr uint64_t page_words = 512;
    static constexpr uint64_t pages = uint64_t(1) << 28; // addresses have 40 bits
    uint32_t &entry(uint64_t word);

    const std::vector<Lifetime> &blocks_;
    uint32_t *table_;                 // by page: its number + 1
    Values<uint32_t> first_, owners_; // by number of the word; in order of birth
    uint64_t middle_ = 0;
};

} // namespace heapstory::constraints
