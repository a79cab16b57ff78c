// SPDX-License-Identifier: GPL-2.0-or-later
#include "graph/edges/lost.h"

#include "graph/edges/edges.h"

#include <algorithm>

namespace heapstory {

namespace {

// The live pointers of a graph by the index of the node that holds them.
struct Links {
    Values<uint32_t> targets;         // indices
    Values<uint64_t> first;           // by index, and the end
    std::vector<uint32_t> from_roots; // indices

    Links(std::span<const GraphNode> nodes, const Batches &edges);
};

Links::Links(std::span<const GraphNode> nodes, const Batches &edges) {
    uint64_t last = 0;
    for (const GraphNode &node : nodes)
        last = std::max(last, node.id);
    Values<uint32_t> index_of(last + 1); // by id; 1 + index
    for (uint32_t index = 0; index < nodes.size(); ++index)
        index_of[nodes[index].id] = index + 1;

    first.reserve(nodes.size() + 1);
    for (const auto &batch : edges) {
        const auto &sources = (*batch)[EdgeColumn::source].numbers;
        const auto &ids = (*batch)[EdgeColumn::target].numbers;
        const auto &states = (*batch)[EdgeColumn::state].codes;
        for (size_t row = 0; row < batch->rows(); ++row) {
            if (EdgeState(states[row]) != EdgeState::live || ids[row] > last || !index_of[ids[row]])
                continue;
            uint32_t target = index_of[ids[row]] - 1;
            if (sources[row] > last) {
                from_roots.push_back(target);
                continue;
            }
            first.resize(std::max<size_t>(first.size(), index_of[sources[row]]), targets.size());
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
    auto reach = [&](uint32_t index) {
        if (!reached[index]) {
            reached[index] = true;
            todo.push_back(index);
        }
    };
    for (uint32_t index : links.from_roots)
        reach(index);
    for (uint32_t index = 0; index < nodes.size(); ++index)
        if (nodes[index].row.kind == NodeKind::global)
            reach(index);
    while (!todo.empty()) {
        uint32_t at = todo.back();
        todo.pop_back();
        for (uint64_t i = links.first[at]; i < links.first[at + 1]; ++i)
            reach(links.targets[i]);
    }
    for (uint32_t index = 0; index < nodes.size(); ++index)
        nodes[index].lost = !reached[index] && nodes[index].alive();
}

} // namespace heapstory
