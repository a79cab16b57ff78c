// SPDX-License-Identifier: GPL-2.0-or-later
#include "store/discovered.h"

#include <algorithm>

namespace heapstory {

Discovered::Discovered(Discoveries found, const NodeTable &nodes) : lists_(std::move(found)) {
    for (const Origin &origin : lists_.origins) {
        bool known = origin.source && origin.source < origin.node && origin.node <= nodes.size();
        if (!known) // its chunk of events was cut off
            continue;
        uint64_t birth = nodes.get(origin.node).birth;
        parts_.push_back({origin.node, origin.source, eldest(origin.source), origin.border, birth});
    }
    by_source_ = parts_;
    std::stable_sort(by_source_.begin(), by_source_.end(),
                     [](const Part &a, const Part &b) { return a.source < b.source; });
}

const Discovered::Part *Discovered::find(uint64_t node) const {
    auto at = std::lower_bound(parts_.begin(), parts_.end(), node,
                               [](const Part &part, uint64_t id) { return part.node < id; });
    return at == parts_.end() || at->node != node ? nullptr : &*at;
}

uint64_t Discovered::source_of(uint64_t node) const {
    const Part *part = find(node);
    return part ? part->source : 0;
}

uint64_t Discovered::eldest(uint64_t node) const {
    const Part *part = find(node);
    return part ? part->eldest : node;
}

void Discovered::restore(uint64_t node, NodeRow &row, uint64_t n) const {
    auto after = std::upper_bound(by_source_.begin(), by_source_.end(), std::pair(node, n),
                                  [](const std::pair<uint64_t, uint64_t> &at, const Part &part) {
                                      return at < std::pair(part.source, part.birth);
                                  });
    if (after == by_source_.begin() || (after - 1)->source != node)
        return;
    uint64_t border = (after - 1)->border;
    if (border > row.address && border < row.address + row.size)
        row.size = border - row.address;
}

} // namespace heapstory
