// The states seen so far, by their hashes, and how each was reached.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace heapstory::explore {

struct Hash {
    uint64_t low, high;
    bool operator==(const Hash &) const = default;
};

inline uint64_t mixed(uint64_t a, uint64_t b) {
    unsigned __int128 product = static_cast<unsigned __int128>(a) * b;
    return uint64_t(product) ^ uint64_t(product >> 64);
}

// Two multiplicative hashes with constants of their own.
inline Hash hash_of(const std::vector<int32_t> &words) {
    uint64_t low = 0x9e3779b97f4a7c15 ^ words.size(), high = 0xc2b2ae3d27d4eb4f + words.size();
    for (int32_t word : words) {
        low = mixed(low ^ uint32_t(word), 0xa0761d6478bd642f) + 0x2545f4914f6cdd1d;
        high = mixed(high + uint32_t(word), 0xe7037ed1a0b428db) ^ (high << 29 | high >> 35);
    }
    return {mixed(low, 0x8ebc6af09c88c6e3), mixed(high, 0x589965cc75374cc3)};
}

class Visited {
  public:
    static constexpr uint32_t none = UINT32_MAX;
    struct Way {
        uint32_t from, move;
    };

    Visited() : slots_(1024, none) {}

    size_t size() const { return ways_.size(); }
    Way way(uint32_t state) const { return ways_[state]; }

    bool contains(const Hash &hash) const { return slots_[place(hash)] != none; }

    // Whether the state is new.
    bool add(const Hash &hash, Way way) {
        if (2 * ways_.size() >= slots_.size())
            grow();
        size_t at = place(hash);
        if (slots_[at] != none)
            return false;
        slots_[at] = uint32_t(ways_.size());
        hashes_.push_back(hash);
        ways_.push_back(way);
        return true;
    }

  private:
    size_t place(const Hash &hash) const {
        size_t at = hash.low & (slots_.size() - 1);
        while (slots_[at] != none && !(hashes_[slots_[at]] == hash))
            at = (at + 1) & (slots_.size() - 1);
        return at;
    }

    void grow() {
        slots_.assign(2 * slots_.size(), none);
        for (uint32_t i = 0; i < hashes_.size(); ++i)
            slots_[place(hashes_[i])] = i;
    }

    std::vector<uint32_t> slots_;
    std::vector<Hash> hashes_;
    std::vector<Way> ways_;
};

} // namespace heapstory::explore
