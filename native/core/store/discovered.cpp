// SPDX-License-Identifier: GPL-2.0-or-later
#include "store/discovered.h"

#include <algorithm>

namespace heapstory {

Discovered::Discovered(Discoveries found, const NodeTable &nodes) : lists_(std::move(found)) {
    parts_.reserve(lists_.origins.size());
    for (const Origin &origin : lists_.origins) {
        if (origin.node > nodes.size()) // its chunk of events was cut off
            break;
        NodeRow row = nodes.get(origin.node);
        parts_.push_back(
            {origin.node, origin.source, origin.border, row.birth, row.address + row.size});
    }
    std::stable_sort(parts_.begin(), parts_.end(),
                     [](const Part &a, const Part &b) { return a.source < b.source; });
    find_ends();
}

// From the last on: a part is younger than its source, so its own parts stand behind it.
void Discovered::find_ends() {
    for (size_t i = parts_.size(); i-- > 0;) {
        Part &part = parts_[i];
        auto own = std::lower_bound(parts_.begin() + ptrdiff_t(i), parts_.end(), part.node,
                                    [](const Part &p, uint64_t id) { return p.source < id; });
        if (own != parts_.end() && own->source == part.node)
            part.end = std::max(part.end, own->end);
        if (i + 1 < parts_.size() && parts_[i + 1].source == part.source)
            part.end = std::max(part.end, parts_[i + 1].end);
    }
}

void Discovered::restore(uint64_t node, NodeRow &row, uint64_t n) const {
    auto later = std::upper_bound(parts_.begin(), parts_.end(), std::pair(node, n),
                                  [](const std::pair<uint64_t, uint64_t> &at, const Part &part) {
                                      return at < std::pair(part.source, part.birth);
                                  });
    uint64_t end = row.address + row.size;
    if (later != parts_.end() && later->source == node)
        end = std::max(end, later->end);
    if (later != parts_.begin() && (later - 1)->source == node)
        end = std::min(end, (later - 1)->border);
    row.size = std::max(end, row.address) - row.address;
}

} // namespace heapstory
