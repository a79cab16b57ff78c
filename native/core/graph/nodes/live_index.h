// Finds the live node that holds an address, for graphs with millions of pointers: how many nodes
// start up to an address is counted in a bit map, and the last of them is looked at.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "graph/memory/page_map.h"
#include "graph/nodes/graph_node.h"
#include "store/memory.h"

#include <bit>
#include <cstdint>
#include <vector>

namespace heapstory {

struct LiveNode {
    uint64_t start = 0, end = 0;
    uint64_t id = 0;
    uint64_t birth : 63 = 0; // exists after so many events
    uint64_t untyped : 1 = 0;
};

class LiveIndex {
  public:
    static constexpr uint32_t none = ~uint32_t(0);

    void reserve(size_t nodes) { nodes_.reserve(nodes); }
    // Nodes must come in order of address. `index` is where the caller keeps it.
    void add(const GraphNode &node, uint32_t index);
    void finish();
    // The innermost node that holds the address: its number.
    uint32_t find(uint64_t address) const { return innermost(starts_upto(address), address); }
    const LiveNode &operator[](uint32_t number) const { return nodes_[number]; }
    uint32_t index(uint32_t number) const { return indices_.empty() ? number : indices_[number]; }

    // The two steps of find, between which there may be time for a prefetch. The first gives how
    // many nodes start up to the address and may reach it.
    uint64_t starts_upto(uint64_t address) const {
        const Page *page = pages_.find(address >> page_bits);
        if (!page || !page->after)
            return 0;
        uint64_t count = page->after - 1;
        if (!page->starts)
            return count;
        return page->starts == crowded ? search(count, address)
                                       : count + starts_[page->starts - 1].upto(address);
    }
    void prefetch(uint64_t count) const {
        if (count)
            __builtin_prefetch(&nodes_[count - 1]);
    }
    // Usually the last of them. With nesting, an enclosing one may hold the address.
    uint32_t innermost(uint64_t count, uint64_t address) const {
        for (uint64_t i = count, steps = 0; i > 0 && steps <= most_nested; --i, ++steps) {
            const LiveNode &node = nodes_[i - 1];
            if (node.start > address)
                continue;
            if (address < node.end)
                return uint32_t(i - 1);
            if (!nested_)
                break;
        }
        return none;
    }

  private:
    static constexpr unsigned page_bits = 12;
    static constexpr uint32_t crowded = ~uint32_t(0); // two nodes start within 8 bytes
    static constexpr size_t most_nested = 100000;
    struct Page {
        uint32_t after = 0;  // 1 + nodes that start before the page (and may reach into it)
        uint32_t starts = 0; // 1 + number in starts_, if any start in it
    };
    struct alignas(64) Starts { // of a page: a bit for each 8 bytes
        uint64_t bits[8] = {};
        uint64_t upto(uint64_t address) const {
            unsigned at = unsigned(address >> 3) & 511;
            uint64_t count =
                uint64_t(std::popcount(bits[at / 64] & ~uint64_t(0) >> (63 - at % 64)));
            for (unsigned i = 0; i < at / 64; ++i)
                count += uint64_t(std::popcount(bits[i]));
            return count;
        }
    };
    // How many nodes start up to the address, where at least `first` do.
    uint64_t search(uint64_t first, uint64_t address) const;
    Values<LiveNode> nodes_;
    std::vector<uint32_t> indices_; // empty: the same as the numbers
    PageMap<Page> pages_;
    Values<Starts> starts_;
    bool nested_ = false;
};

} // namespace heapstory
