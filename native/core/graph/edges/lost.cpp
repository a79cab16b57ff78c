// SPDX-License-Identifier: GPL-2.0-or-later
#include "graph/edges/lost.h"

#include "graph/edges/edges.h"

#include <algorithm>

namespace heapstory {

namespace {

// The live pointers of a graph by the place of the node that holds them.
struct Links {
    Values<uint32_t> targets;         // places
    Values<uint64_t> first;           // by place, and the end
    std::vector<uint32_t> from_roots; // places

    Links(std::span<const GraphNode> nodes, const Batches &edges);
};

Links::Links(std::span<const GraphNode> nodes, const Batches &edges) {
    uint64_t last = 0;
    for (const GraphNode &node : nodes)
        last = std::max(last, node.id);
    Values<uint32_t> place_of(last + 1); // by id; 1 + place
    for (uint32_t place = 0; place < nodes.size(); ++place)
        place_of[nodes[place].id] = place + 1;

    first.reserve(nodes.size() + 1);
    for (const auto &batch : edges) {
        const auto &sources = (*batch)[EdgeColumn::source].numbers;
        const auto &ids = (*batch)[EdgeColumn::target].numbers;
        const auto &states = (*batch)[EdgeColumn::state].codes;
        for (size_t row = 0; row < batch->rows(); ++row) {
            if (EdgeState(states[row]) != EdgeState::live || ids[row] > last || !place_of[ids[row]])
                continue;
            uint32_t target = place_of[ids[row]] - 1;
            if (sources[row] > last) {
                from_roots.push_back(target);
                continue;
            }
            first.resize(std::max<size_t>(first.size(), place_of[sources[row]]), targets.size());
            targets.push_back(target);
        }
    }
    first.resize(nodes.size() + 1, targets.size());
}

} // namespace

void find_lost(std::span<GraphNode> nodes, const Batches &edges) {
    Links links(nodes, edges);
    std::vector<bool> reached(nodes.size());
    std::vector<uint32_t> todo;
    auto reach = [&](uint32_t place) {
        if (!reached[place]) {
            reached[place] = true;
            todo.push_back(place);
        }
    };
    for (uint32_t place : links.from_roots)
        reach(place);
    for (uint32_t place = 0; place < nodes.size(); ++place)
        if (nodes[place].row.kind == NodeKind::global)
            reach(place);
    while (!todo.empty()) {
        uint32_t at = todo.back();
        todo.pop_back();
        for (uint64_t i = links.first[at]; i < links.first[at + 1]; ++i)
            reach(links.targets[i]);
    }
    for (uint32_t place = 0; place < nodes.size(); ++place)
        nodes[place].lost = !reached[place] && nodes[place].alive();
}

} // namespace heapstory
