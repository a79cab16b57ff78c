// SPDX-License-Identifier: GPL-2.0-or-later
#include "graph/edges/pointers.h"

namespace heapstory {

std::string_view name_of(EdgeState state) {
    constexpr std::string_view names[] = {"live", "stale", "null", "data"};
    return names[size_t(state)];
}

Pointers::Pointers(const Store &store) : store_(store) {
    auto [low, high] = store.nodes().bounds();
    low_ = low;
    high_ = high;
}

Meaning Pointers::meaning(uint64_t value, uint64_t stored, uint64_t now) const {
    if (!value)
        return {0, 0, EdgeState::null};
    if (!may_be_pointer(value))
        return {};
    const NodeTable &nodes = store_.nodes();
    NodeTable::Holders holders = nodes.holders(value, stored, now);
    auto answer = [&](uint64_t node, EdgeState state) -> Meaning {
        return {node, value - nodes.get(node).address, state};
    };
    // What was split off a node is meant by the pointers into that node.
    if (holders.now && nodes.lineage().eldest(holders.now) <= holders.born)
        return answer(holders.now, EdgeState::live);
    if (holders.then)
        return answer(holders.then, EdgeState::stale);
    // Stored after its block had gone: it pointed nowhere from the start.
    if (holders.last && nodes.get(holders.last).kind == NodeKind::heap)
        return answer(holders.last, EdgeState::stale);
    return {};
}

} // namespace heapstory
