// SPDX-License-Identifier: GPL-2.0-or-later
#include "format/nodes/lineage.h"

#include <algorithm>

namespace heapstory {

Lineage::Lineage(const std::vector<Origin> &origins) : parts_(1) {
    for (const Origin &origin : origins) {
        bool in_order = origin.source && origin.source < origin.node;
        if (!in_order || origin.node <= parts_.back().node)
            throw FormatError("damaged origin of a node");
        Part part;
        part.node = origin.node;
        part.source = origin.source;
        part.up = index_of(origin.source);
        const Part &up = parts_[part.up], &jump = parts_[up.jump];
        part.eldest = part.up ? up.eldest : origin.source;
        part.depth = up.depth + 1;
        // Two jumps of the same length become one of twice that.
        bool doubles = up.depth - jump.depth == jump.depth - parts_[jump.jump].depth;
        part.jump = doubles ? jump.jump : part.up;
        parts_.push_back(part);
    }
}

uint32_t Lineage::index_of(uint64_t node) const {
    auto at = std::lower_bound(parts_.begin(), parts_.end(), node,
                               [](const Part &part, uint64_t id) { return part.node < id; });
    return at == parts_.end() || at->node != node ? 0 : uint32_t(at - parts_.begin());
}

uint64_t Lineage::eldest(uint64_t node) const {
    const Part &part = part_of(node);
    return part.node ? part.eldest : node;
}

uint64_t Lineage::youngest(uint64_t node, uint64_t newest) const {
    if (node <= newest)
        return node;
    const Part *part = &part_of(node);
    while (part->source > newest)
        part = &parts_[parts_[part->jump].node > newest ? part->jump : part->up];
    return part->source;
}

} // namespace heapstory
