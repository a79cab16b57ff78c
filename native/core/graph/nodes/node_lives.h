// Where and when every node lived, in memory: for passes over a whole trace that ask millions of
// times what a pointer means.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "graph/memory/page_map.h"
#include "store/memory.h"
#include "store/store.h"

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace heapstory {

class NodeLives {
  public:
    explicit NodeLives(const Store &store);

    // Whether each node has its memory for itself: no node lies within another, none was split off
    // another. Only then do the others answer.
    bool simple() const { return simple_; }

    struct Life {
        uint64_t address = 0, size = 0;
        uint64_t birth = 0, death = 0; // exists, is gone after so many events
        bool holds(uint64_t at) const { return at - address < (size ? size : 1); }
    };
    const Life &get(uint64_t node) const { return lives_[node]; }
    bool is_heap(uint64_t node) const { return heap_[node]; }
    // The newest node born within n events that holds the address, alive or not; 0 if none.
    uint64_t newest(uint64_t address, uint64_t n) const {
        uint64_t small = newest_of(small_at(address), address, n);
        return large_.empty() ? small : std::max(small, newest_of(large_at(address), address, n));
    }

  private:
    static constexpr unsigned granule_bits = 6, page_bits = 12, region_bits = 16;
    static constexpr uint64_t page_granules = 1 << (page_bits - granule_bits);
    static constexpr uint64_t largest_small = uint64_t(1) << page_bits;
    struct Nodes { // in order of birth
        const uint32_t *first = nullptr, *end = nullptr;
    };
    Nodes small_at(uint64_t address) const {
        const uint32_t *number = pages_.find(address >> page_bits);
        if (!number || !*number)
            return {};
        uint64_t granule =
            (*number - 1) * page_granules + (address >> granule_bits) % page_granules;
        return {small_.data() + starts_[granule], small_.data() + starts_[granule + 1]};
    }
    Nodes large_at(uint64_t address) const {
        auto found = large_.find(address >> region_bits);
        if (found == large_.end())
            return {};
        return {found->second.data(), found->second.data() + found->second.size()};
    }
    uint64_t newest_of(Nodes nodes, uint64_t address, uint64_t n) const {
        const uint32_t *at = nodes.end;
        if (nodes.end - nodes.first > 8)
            at = std::upper_bound(nodes.first, nodes.end, n, [this](uint64_t events, uint32_t id) {
                return events < lives_[id].birth;
            });
        while (at != nodes.first) {
            const Life &life = lives_[*--at];
            if (life.birth <= n && life.holds(address))
                return *at;
        }
        return 0;
    }
    template <class Visit> void for_granules(const Life &life, Visit visit);

    bool simple_ = true;
    Values<Life> lives_; // by id
    std::vector<bool> heap_;
    PageMap<uint32_t> pages_; // 1 + number of the page
    uint32_t page_count_ = 0;
    Values<uint64_t> starts_; // by granule of these pages: in small_
    Values<uint32_t> small_;
    std::unordered_map<uint64_t, std::vector<uint32_t>> large_; // by region
};

} // namespace heapstory
