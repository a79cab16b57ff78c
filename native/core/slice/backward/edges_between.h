// The edges between two moments.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace heapstory::slice {

// By a user and a definer, which are not the same. A slice has a hundred thousand edges, and most
// pairs of moments have one: an open hash table of the last edge of each pair, and for each edge
// the one before.
class EdgesBetween {
  public:
    static constexpr uint32_t none = ~uint32_t(0);

    // The number of an edge between both that is meant, or none.
    template <class IsMeant>
    uint32_t find(uint32_t user, uint32_t definer, IsMeant is_meant) const {
        if (slots_.empty())
            return none;
        uint32_t number = slots_[slot_of(key(user, definer))].last;
        while (number != none && !is_meant(number))
            number = before_[number];
        return number;
    }
    void add(uint32_t user, uint32_t definer, uint32_t number) {
        if (2 * used_ >= slots_.size())
            grow();
        Slot &slot = slots_[slot_of(key(user, definer))];
        used_ += slot.last == none;
        before_.resize(size_t(number) + 1, none);
        before_[number] = slot.last;
        slot = {key(user, definer), number};
    }
    void clear() {
        slots_.clear();
        before_.clear();
        used_ = 0;
    }

  private:
    struct Slot {
        uint64_t key = 0;
        uint32_t last = none;
    };

    static uint64_t key(uint32_t user, uint32_t definer) { return uint64_t(user) << 32 | definer; }
    size_t slot_of(uint64_t key) const {
        const size_t mask = slots_.size() - 1;
        size_t at = (key * 0x9e3779b97f4a7c15u >> 20) & mask;
        while (slots_[at].last != none && slots_[at].key != key)
            at = (at + 1) & mask;
        return at;
    }
    void grow() {
        std::vector<Slot> old(slots_.empty() ? 64 : 2 * slots_.size());
        old.swap(slots_);
        for (const Slot &slot : old)
            if (slot.last != none)
                slots_[slot_of(slot.key)] = slot;
    }

    std::vector<Slot> slots_;
    std::vector<uint32_t> before_; // by number
    size_t used_ = 0;
};

} // namespace heapstory::slice
