// SPDX-License-Identifier: GPL-2.0-or-later
#include "graph/nodes/live_index.h"

#include <algorithm>
#include <numeric>

namespace heapstory {

void LiveIndex::add(const GraphNode &node, uint32_t index) {
    uint64_t address = node.row.address;
    nested_ |= !nodes_.empty() && address < nodes_.back().end;
    if (index != nodes_.size() && indices_.empty()) {
        indices_.resize(nodes_.size());
        std::iota(indices_.begin(), indices_.end(), 0);
    }
    if (index != nodes_.size() || !indices_.empty())
        indices_.push_back(index);
    nodes_.push_back({address, address + std::max<uint64_t>(node.row.size, 1), node.id, node.meant,
                      node.untyped()});
}

void LiveIndex::finish() {
    for (uint64_t first = 0, end = 0; first < nodes_.size(); first = end) {
        uint64_t number = nodes_[first].start >> page_bits;
        Page &page = pages_.get(number);
        page.after = uint32_t(first + 1);
        starts_.emplace_back();
        page.starts = uint32_t(starts_.size());
        for (end = first; end < nodes_.size() && nodes_[end].start >> page_bits == number; ++end) {
            unsigned at = unsigned(nodes_[end].start >> 3) & 511;
            uint64_t &bits = starts_.back().bits[at / 64], bit = uint64_t(1) << at % 64;
            if (bits & bit)
                page.starts = crowded;
            bits |= bit;
        }
        // Pages that the nodes reach into; where later ones start, they say so themselves.
        for (uint64_t i = first; i < end; ++i)
            for (uint64_t next = number + 1; next <= (nodes_[i].end - 1) >> page_bits; ++next)
                pages_.get(next).after = uint32_t(i + 2);
    }
}

uint64_t LiveIndex::search(uint64_t first, uint64_t address) const {
    auto after = std::upper_bound(nodes_.begin() + std::ptrdiff_t(first), nodes_.end(), address,
                                  [](uint64_t a, const LiveNode &node) { return a < node.start; });
    return uint64_t(after - nodes_.begin());
}

} // namespace heapstory
