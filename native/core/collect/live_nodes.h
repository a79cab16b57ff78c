// The live blocks by start address.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace heapstory {

struct LiveNode {
    uint64_t address = 0; // 0: empty place
    uint64_t size = 0;
    uint64_t node = 0;
};

// Open addressing with linear probing; removal shifts back, so that probes stay short for ever.
class LiveNodes {
  public:
    LiveNodes() : places_(1024) {}

    size_t size() const { return size_; }
    LiveNode *find(uint64_t address) {
        for (size_t i = start(address);; i = next(i)) {
            if (places_[i].address == address)
                return &places_[i];
            if (!places_[i].address)
                return nullptr;
        }
    }
    void insert(const LiveNode &node) {
        if (size_ * 2 >= places_.size())
            grow();
        place(node);
        ++size_;
    }
    void erase(LiveNode *node) {
        size_t hole = size_t(node - places_.data());
        for (size_t i = next(hole); places_[i].address; i = next(i)) {
            size_t home = start(places_[i].address);
            bool stays = hole <= i ? hole < home && home <= i : hole < home || home <= i;
            if (!stays) {
                places_[hole] = places_[i];
                hole = i;
            }
        }
        places_[hole] = {};
        --size_;
    }
    template <class Visit> void for_each(Visit visit) const {
        for (const LiveNode &node : places_)
            if (node.address)
                visit(node);
    }

  private:
    size_t start(uint64_t address) const {
        return (address * 0x9e3779b97f4a7c15ull) >> (64 - std::countr_zero(places_.size()));
    }
    size_t next(size_t i) const { return (i + 1) & (places_.size() - 1); }
    void place(const LiveNode &node) {
        size_t i = start(node.address);
        while (places_[i].address)
            i = next(i);
        places_[i] = node;
    }
    void grow() {
        std::vector<LiveNode> old(places_.size() * 2);
        old.swap(places_);
        for (const LiveNode &node : old)
            if (node.address)
                place(node);
    }

    std::vector<LiveNode> places_; // a power of two
    size_t size_ = 0;
};

} // namespace heapstory
